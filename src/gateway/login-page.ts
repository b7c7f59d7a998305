/** The form that asks for the admin token. It runs no script and sends nothing elsewhere. */
export function loginPage({ wrong }: { wrong: boolean }): Response {
	const headers = {
		"cache-control": "no-store",
		"content-type": "text/html; charset=utf-8",
		"content-security-policy":
			"default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
	};
	return new Response(wrong ? page('<p role="alert">That is not the token.</p>') : page(""), {
		status: wrong ? 401 : 200,
		headers,
	});
}

const page = (notice: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Callboard</title>
<link rel="icon" href="data:,">
<style>
	body { display: grid; place-content: center; min-height: 100dvh; margin: 0; padding: 1.5rem;
		font: 1rem/1.6 system-ui, sans-serif; }
	form { display: grid; gap: 0.75rem; width: min(22rem, 90vw); }
	h1 { margin: 0; font-size: 1.25rem; }
	p { margin: 0; }
	[role="alert"] { color: light-dark(#a3162a, #ff9aa5); }
	input, button { font: inherit; padding: 0.5rem 0.75rem; border: 1px solid; border-radius: 0.5rem; }
</style>
<form method="post" action="/admin/login">
	<h1>Callboard</h1>
	${notice}
	<label for="token">Admin token (CALLBOARD_ADMIN_TOKEN)</label>
	<input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
	<button>Enter</button>
</form>
`;
