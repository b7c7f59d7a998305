/** Lets the calling page read an answer, where it may. Credentials are never allowed: other sites send a token. */
export function readable(response: Response, request: Request, allowed: boolean): Response {
	const origin = request.headers.get("origin");
	response.headers.append("vary", "origin");
	if (origin !== null && allowed) {
		response.headers.set("access-control-allow-origin", origin);
		response.headers.set("cross-origin-resource-policy", "cross-origin");
	}
	return response;
}

/** Answers a browser that asks whether it may. */
export function preflight(): Response {
	return new Response(null, {
		status: 204,
		headers: {
			"access-control-allow-methods": "GET, POST",
			"access-control-allow-headers": "authorization, content-type, last-event-id",
			"access-control-max-age": "600",
		},
	});
}
