import { z } from "zod";

function fits(type: () => z.ZodType): (text: string) => boolean {
	let built: z.ZodType | undefined;
	return (text) => {
		built ??= type();
		return built.safeParse(text).success;
	};
}

/** Checks of the `format`s a schema may name. One that is not here says nothing about the text. */
export const FORMAT_CHECKS: Readonly<Record<string, (text: string) => boolean>> = {
	"date-time": fits(() => z.iso.datetime({ offset: true })),
	date: fits(() => z.iso.date()),
	time: fits(() => z.iso.time()),
	duration: fits(() => z.iso.duration()),
	email: fits(() => z.email()),
	uuid: fits(() => z.uuid()),
	uri: fits(() => z.url()),
	ipv4: fits(() => z.ipv4()),
	ipv6: fits(() => z.ipv6()),
};
