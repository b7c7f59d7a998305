/** A file that came with a request. */
export class TelegramUpload {
	constructor(
		readonly name: string,
		readonly data: Buffer,
	) {}
}

/** What a request to the Bot API says, its JSON parts read. */
export type TelegramParams = Record<string, unknown>;

/** Reads the parameters of a request, whichever of the accepted forms it has. */
export function readParams(query: URLSearchParams, contentType: string, body: Buffer): TelegramParams {
	const given: TelegramParams = Object.fromEntries(query);
	if (body.length === 0) return given;
	if (contentType.includes("json")) return { ...given, ...(JSON.parse(body.toString("utf8")) as TelegramParams) };
	if (!contentType.includes("multipart"))
		return { ...given, ...parsed(Object.fromEntries(new URLSearchParams(body.toString("utf8")))) };
	const parts = readMultipart(body, contentType);
	return attach(parsed(parts), parts) as TelegramParams;
}

/**
 * Takes a multipart body apart by hand: clients write headers that the platform's own parser refuses, such as
 * `content-disposition:form-data;name="a"` without a space.
 */
function readMultipart(body: Buffer, contentType: string): Record<string, string | TelegramUpload> {
	const boundary = Buffer.from(`--${/boundary="?([^";]+)/.exec(contentType)?.[1] ?? ""}`);
	const found: Record<string, string | TelegramUpload> = {};
	let from = body.indexOf(boundary);
	for (;;) {
		const to = body.indexOf(boundary, from + boundary.length);
		if (from < 0 || to < 0) return found;
		const part = body.subarray(from + boundary.length + 2, to - 2);
		const gap = part.indexOf("\r\n\r\n");
		const head = part.subarray(0, gap).toString("utf8");
		const content = part.subarray(gap + 4);
		const name = /\bname="?([^";\r]+)/.exec(head)?.[1];
		const file = /\bfilename="?([^";\r]+)/.exec(head)?.[1];
		if (name !== undefined)
			found[name] = file === undefined ? content.toString("utf8") : new TelegramUpload(file, Buffer.from(content));
		from = to;
	}
}

/** Objects and lists come as JSON in forms. */
function parsed(fields: TelegramParams): TelegramParams {
	return Object.fromEntries(
		Object.entries(fields).map(([name, value]) => {
			const isJson = typeof value === "string" && /^[[{]/.test(value) && name !== "text" && name !== "caption";
			return [name, isJson ? JSON.parse(value) : value];
		}),
	);
}

/** Puts the files where `attach://name` stands for them. */
function attach(value: unknown, files: Readonly<Record<string, string | TelegramUpload>>): unknown {
	if (typeof value === "string" && value.startsWith("attach://")) return files[value.slice(9)] ?? value;
	if (Array.isArray(value)) return value.map((each) => attach(each, files));
	if (typeof value !== "object" || value === null || value instanceof TelegramUpload) return value;
	return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, attach(each, files)]));
}
