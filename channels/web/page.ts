import { type Asset, asset, clientScript, readClientFile } from "./client-script.js";
import type { WebSettings } from "./web-options.js";

/** What the widget is told about the server it comes from. */
function widgetSettings(settings: WebSettings) {
	const { title, subtitle, notice, theme, path, maxCharacters, language, strings } = settings;
	return { title, subtitle, notice, theme, path, maxCharacters, language: language ?? "", strings };
}

/** Everything a browser loads, made once at start. */
export async function pageAssets(settings: WebSettings): Promise<{
	widget: Asset;
	page: Asset;
	pageStyle: Asset;
	pageScript: Asset;
}> {
	return {
		widget: await clientScript(widgetSettings(settings)),
		page: asset("text/html; charset=utf-8", pageHtml(settings)),
		pageStyle: asset("text/css; charset=utf-8", await readClientFile("page.css")),
		pageScript: asset("text/javascript; charset=utf-8", await readClientFile("page.js")),
	};
}

const ICON =
	"data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='10' fill='%230f766e'/%3E%3Cpath d='M9 11.5A2.5 2.5 0 0 1 11.5 9h9a2.5 2.5 0 0 1 2.5 2.5v6a2.5 2.5 0 0 1-2.5 2.5H15l-4 3.5V20h-.0A2.5 2.5 0 0 1 9 17.5z' fill='%23fff'/%3E%3C/svg%3E";

function pageHtml({ title, subtitle, path, theme, embed }: WebSettings): string {
	const mode = theme.mode ?? "auto";
	return `<!doctype html>
<html lang="en" data-mode="${mode}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content">
<meta name="color-scheme" content="${mode === "auto" ? "light dark" : mode}">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="${path}/page.css">
<script src="${path}/widget.js" defer></script>
<script src="${path}/page.js" defer></script>
</head>
<body>
<main>
<section class="about${embed ? " developer" : ""}" aria-labelledby="title">
<h1 id="title">${escapeHtml(title)}</h1>
${subtitle === "" ? "" : `<p class="lead">${escapeHtml(subtitle)}</p>`}
${embed ? embedHtml(path) : ""}
</section>
<callboard-chat mode="inline"></callboard-chat>
</main>
</body>
</html>
`;
}

function embedHtml(path: string): string {
	return `<div class="embed">
<h2 id="embed">Put it on your site</h2>
<p>Paste this before <code>&lt;/body&gt;</code>. A button appears in the corner and opens this chat.</p>
<pre aria-labelledby="embed"><code id="snippet" data-path="${path}/widget.js"></code></pre>
<button type="button" id="copy">Copy</button>
<p class="note">List the site in <code>CALLBOARD_ALLOWED_ORIGINS</code>, so that it may connect. Visitors of <code>callboard start</code> do not see this.</p>
</div>`;
}

function escapeHtml(text: string): string {
	return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}
