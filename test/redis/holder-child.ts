import { limits, message, opened, terms } from "./desk.js";

/**
 * A process that begins turns and never ends them. Arguments: URL, prefix, `direct` (its own gateway and worker) or
 * `worker` (woken by others). Prints each address whose turn it has begun, as one line.
 */
const [, , url = "", prefix = "", way = ""] = process.argv;
const backend = await opened(url, prefix);
const renewed = (lease: Parameters<typeof backend.extend>[0]) =>
	setInterval(() => void backend.extend(lease, 2_000), 700);

if (way === "direct") {
	const address = "web|direct";
	const { claimed } = await backend.accept(message(address, "m1"), limits, { owner: "dead", ...terms });
	if (claimed !== undefined) renewed(claimed.lease);
	console.log(address);
} else {
	backend.serve("turns", 10, async (address) => {
		const got = await backend.claim(address, { owner: "dead", ...terms });
		if (got.outcome !== "claimed") return;
		renewed(got.lease);
		console.log(address);
		await new Promise(() => {});
	});
}
