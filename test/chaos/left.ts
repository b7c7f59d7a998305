import type { AddressKey } from "../../src/call/address.js";
import type { AddressView, Backend } from "../../src/engine/backend.js";

const PAGE = 200;

/** All addresses of a store with all that is stored under them. */
export async function everything(backend: Backend, history: number): Promise<readonly AddressView[]> {
	const views: AddressView[] = [];
	for (let after: AddressKey | undefined; ; ) {
		const page = await backend.list({ limit: PAGE, ...(after === undefined ? {} : { after }) });
		for (const address of page) views.push(await backend.view(address, { history }));
		after = page.at(-1);
		if (page.length < PAGE) return views;
	}
}

/** What a store still has to do, in words; the timers that close quiet calls do not count. */
export async function leftOf(backend: Backend): Promise<readonly string[]> {
	const left: string[] = [];
	for (const only of ["waiting", "outbox"] as const) {
		const found = await backend.list({ limit: 20, only });
		const views = await Promise.all(found.map((address) => backend.view(address, { history: 0 })));
		left.push(...views.filter(({ parked }) => parked === undefined).map(({ address }) => `${only}: ${address}`));
	}
	if (left.length > 0) return left;
	const views = await everything(backend, 0);
	return views.flatMap(({ address, timers }) =>
		timers.filter(({ id }) => id !== "idle").map(({ id }) => `timer: ${address} ${id}`),
	);
}
