import type { Channel, ChannelRoutes } from "../channel/channel.js";

/** The routes that answer a path: `/` only itself, any other prefix also what lies below it. First match wins. */
export function routeFor(channels: readonly Channel[], path: string): ChannelRoutes | undefined {
	for (const { routes } of channels) {
		if (routes?.paths.some((prefix) => matches(prefix, path))) return routes;
	}
	return undefined;
}

function matches(prefix: string, path: string): boolean {
	return path === prefix || (prefix !== "/" && path.startsWith(`${prefix}/`));
}
