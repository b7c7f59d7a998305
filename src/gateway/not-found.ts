/** Answers a path nobody serves: a page for people, JSON for programs. */
export function notFound(request: Request): Response {
	const headers = { "cache-control": "no-store" };
	if (!(request.headers.get("accept") ?? "").includes("text/html")) {
		return Response.json({ error: "not_found" }, { status: 404, headers });
	}
	return new Response(PAGE, {
		status: 404,
		headers: {
			...headers,
			"content-type": "text/html; charset=utf-8",
			"content-security-policy":
				"default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
		},
	});
}

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Nothing here</title>
<link rel="icon" href="data:,">
<style>
	body { display: grid; place-content: center; min-height: 100dvh; margin: 0; padding: 1.5rem; text-align: center;
		font: 1rem/1.6 system-ui, sans-serif; }
	h1 { margin: 0 0 0.5rem; font-size: 1.5rem; }
	p { margin: 0; opacity: 0.75; }
	a { color: inherit; }
</style>
<h1>There is nothing at this address</h1>
<p>The chat is on the <a href="/">front page</a>.</p>
`;
