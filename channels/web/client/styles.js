import { settings } from "./settings.js";

const LIGHT = `
	--_accent: var(--callboard-accent, var(--_theme-accent, #0f766e));
	--_on-accent: var(--callboard-on-accent, var(--_theme-on-accent, #ffffff));
	--_background: var(--callboard-background, #ffffff);
	--_bubble: var(--callboard-bubble, #f0f3f2);
	--_text: var(--callboard-text, #17211f);
	--_muted: var(--callboard-muted, #5a6866);
	--_border: var(--callboard-border, #dfe5e4);
	--_danger: var(--callboard-danger, #b42318);
	--_shadow: 0 1px 2px rgb(16 32 30 / 6%), 0 12px 40px rgb(16 32 30 / 16%);
	color-scheme: light;
`;

const DARK = `
	--_accent: var(--callboard-accent, var(--_theme-accent-dark, #2cbfad));
	--_on-accent: var(--callboard-on-accent, var(--_theme-on-accent-dark, #04211d));
	--_background: var(--callboard-background, #151b1c);
	--_bubble: var(--callboard-bubble, #232c2d);
	--_text: var(--callboard-text, #e8eeed);
	--_muted: var(--callboard-muted, #9fadab);
	--_border: var(--callboard-border, #2f3a3b);
	--_danger: var(--callboard-danger, #ff9b90);
	--_shadow: 0 0 0 1px rgb(255 255 255 / 6%), 0 16px 48px rgb(0 0 0 / 50%);
	color-scheme: dark;
`;

/** The server's theme, below whatever the embedding site sets. */
function themed() {
	const { accent, onAccent, accentDark, onAccentDark, radius, font } = settings.theme;
	const pairs = Object.entries({
		"--_theme-accent": accent,
		"--_theme-on-accent": onAccent,
		"--_theme-accent-dark": accentDark ?? accent,
		"--_theme-on-accent-dark": onAccentDark ?? onAccent ?? (accent === undefined ? undefined : "#ffffff"),
		"--_theme-radius": radius,
		"--_theme-font": font,
	});
	return pairs
		.map(([name, value]) => (value === undefined ? "" : `${name}: ${value.replace(/[;{}<]/g, "")};`))
		.join(" ");
}

const LAYOUT = `
:host {
	--_radius: var(--callboard-radius, var(--_theme-radius, 18px));
	--_font: var(--callboard-font, var(--_theme-font, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif));
	font: 400 15px/1.5 var(--_font);
	color: var(--_text);
	-webkit-text-size-adjust: 100%;
	/* Words in the accent, which can be read whatever it is. */
	--_accent-words: color-mix(in oklab, var(--_accent) 45%, var(--_text));
}
:host([hidden]) { display: none !important; }
:host([mode="inline"]) { display: block; height: 100%; min-height: 320px; }
*, *::before, *::after { box-sizing: border-box; }
button { font: inherit; color: inherit; cursor: pointer; }
.icon { display: block; width: 22px; height: 22px; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
:focus-visible { outline: 2px solid var(--_accent); outline-offset: 2px; }
.hidden { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.launcher {
	position: fixed; z-index: var(--callboard-z, 2147483000);
	right: max(20px, env(safe-area-inset-right)); bottom: max(20px, env(safe-area-inset-bottom));
	display: grid; place-items: center; width: 60px; height: 60px; padding: 0; border: 0; border-radius: 50%;
	background: var(--_accent); color: var(--_on-accent); box-shadow: var(--_shadow);
	transition: transform 160ms ease, box-shadow 160ms ease;
}
:host([side="left"]) .launcher { right: auto; left: max(20px, env(safe-area-inset-left)); }
.launcher:hover { transform: translateY(-2px); }
.launcher:active { transform: scale(0.96); }
.launcher:focus-visible { outline-offset: 3px; }
.launcher .icon { width: 28px; height: 28px; }
.launcher .icon-chat { fill: currentColor; stroke: none; }
.badge {
	position: absolute; top: -2px; right: -2px; min-width: 22px; height: 22px; padding: 0 6px; border-radius: 11px;
	background: var(--_danger); color: var(--_background); font-size: 12px; font-weight: 700; line-height: 22px; text-align: center;
}

.panel {
	display: flex; flex-direction: column; overflow: hidden; position: relative;
	background: var(--_background); border-radius: var(--callboard-panel-radius, calc(var(--_radius) + 4px));
}
:host([mode="inline"]) .panel { height: 100%; border: 1px solid var(--_border); }
:host(:not([mode="inline"])) .panel {
	position: fixed; z-index: var(--callboard-z, 2147483000); right: max(20px, env(safe-area-inset-right)); bottom: 96px;
	width: min(var(--callboard-width, 400px), calc(100vw - 40px));
	height: min(var(--callboard-height, 680px), calc(100dvh - 120px));
	box-shadow: var(--_shadow); animation: rise 200ms cubic-bezier(0.2, 0.8, 0.2, 1);
}
:host([side="left"]:not([mode="inline"])) .panel { right: auto; left: max(20px, env(safe-area-inset-left)); }
.panel[hidden], .launcher[hidden], .badge[hidden], .banner[hidden], .notice[hidden], .newer[hidden], .draft[hidden], .dots[hidden], .empty[hidden], .over[hidden] { display: none; }

.header { display: flex; align-items: center; gap: 12px; padding: 14px 18px; padding-inline-end: 12px; border-bottom: 1px solid var(--_border); }
.avatar { flex: none; display: grid; place-items: center; width: 38px; height: 38px; border-radius: 50%; background: var(--_accent); color: var(--_on-accent); font-size: 17px; font-weight: 600; }
.names { flex: 1; min-width: 0; }
.title { margin: 0; font-size: 16px; font-weight: 650; line-height: 1.3; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.title:focus { outline: none; }
.state { display: flex; align-items: center; gap: 6px; color: var(--_muted); font-size: 13px; line-height: 1.4; }
.state span:last-child { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.state i { flex: none; width: 8px; height: 8px; border-radius: 50%; background: var(--_muted); }
.state i.on { background: #1fa971; }
.close { display: grid; place-items: center; width: 44px; height: 44px; padding: 0; border: 0; border-radius: 12px; background: none; color: var(--_muted); }
.close:hover { background: var(--_bubble); color: var(--_text); }
:host([mode="inline"]) .close { display: none; }
.banner, .notice { margin: 0; padding: 8px 18px; background: var(--_bubble); border-bottom: 1px solid var(--_border); color: var(--_text); font-size: 13px; text-align: center; text-wrap: balance; overflow-wrap: anywhere; }

.scroll { flex: 1; min-height: 0; overflow-y: auto; overflow-x: hidden; overscroll-behavior: contain; overflow-anchor: none; padding: 18px 16px 8px; scrollbar-width: thin; scrollbar-color: var(--_border) transparent; }
.scroll:focus-visible { outline-offset: -3px; }
.log { display: flex; flex-direction: column; }
.day { align-self: center; margin: 6px 0 12px; color: var(--_muted); font-size: 12px; font-weight: 500; }
.line { display: flex; flex-direction: column; align-items: flex-start; max-width: 100%; margin-top: 12px; animation: appear 160ms ease-out; }
.line.joined { margin-top: 4px; }
.line.visitor { align-items: flex-end; }
.day + .line, .line:first-child { margin-top: 0; }
.bubble { max-width: min(86%, 34rem); padding: 10px 14px; border-radius: var(--_radius); background: var(--_bubble); overflow-wrap: anywhere; unicode-bidi: plaintext; }
.agent .bubble { border-end-start-radius: 6px; }
.agent.joined .bubble { border-start-start-radius: 6px; }
.visitor .bubble { background: var(--_accent); color: var(--_on-accent); border-end-end-radius: 6px; white-space: pre-wrap; }
.visitor.joined .bubble { border-start-end-radius: 6px; }
.visitor.sending .bubble { opacity: 0.7; }
.visitor.failed .bubble { background: none; color: var(--_text); box-shadow: inset 0 0 0 1px var(--_danger); opacity: 1; }
.by { margin: 0 4px 3px; color: var(--_muted); font-size: 12px; font-weight: 600; }
.joined > .by { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.foot { display: flex; align-items: center; gap: 8px; margin-top: 4px; padding: 0 4px; color: var(--_muted); font-size: 12px; }
.foot:empty { display: none; }
.failed .foot { color: var(--_danger); }
.foot button { min-height: 24px; padding: 0 4px; border: 0; border-radius: 6px; background: none; color: inherit; text-decoration: underline; text-underline-offset: 2px; }

.bubble > :first-child { margin-top: 0; }
.bubble > :last-child { margin-bottom: 0; }
.bubble p, .bubble ul, .bubble ol, .bubble pre, .bubble blockquote { margin: 0 0 10px; }
.bubble h3 { margin: 12px 0 6px; font-size: 1em; font-weight: 650; }
.bubble ul, .bubble ol { padding-inline-start: 1.4em; }
.bubble li { margin: 2px 0; }
.bubble li > ul, .bubble li > ol { margin: 2px 0; }
.bubble a { color: inherit; text-decoration: underline; text-decoration-thickness: 1px; text-underline-offset: 3px; border-radius: 3px; }
.agent .bubble a { color: var(--_accent-words); }
.bubble code { padding: 1px 5px; border-radius: 5px; background: color-mix(in srgb, var(--_text) 9%, transparent); font: 0.88em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.bubble pre { padding: 10px 12px; border-radius: 10px; background: color-mix(in srgb, var(--_text) 7%, transparent); overflow-x: auto; overflow-wrap: normal; }
.bubble pre code { padding: 0; background: none; white-space: pre; }
.bubble blockquote { padding-inline-start: 10px; border-inline-start: 3px solid var(--_border); color: var(--_muted); }
.bubble hr { height: 1px; margin: 12px 0; border: 0; background: var(--_border); }
.bubble img, .bubble video { display: block; max-width: 100%; max-height: 320px; border-radius: 10px; }
.bubble audio { display: block; width: 100%; min-width: 220px; }
.file { display: inline-flex; align-items: center; gap: 8px; }

.choices { display: flex; flex-wrap: wrap; gap: 8px; width: 100%; margin-top: 8px; }
.choice { display: inline-flex; align-items: center; gap: 6px; max-width: 100%; min-height: 40px; padding: 7px 15px; border: 1.5px solid color-mix(in srgb, var(--_accent) 55%, var(--_border)); border-radius: 20px; background: var(--_background); color: var(--_accent-words); font-weight: 500; text-align: start; overflow-wrap: anywhere; transition: background 120ms ease, color 120ms ease; }
.choice small { display: block; color: var(--_muted); font-weight: 400; font-size: 13px; }
.choice:not(:disabled):hover { background: color-mix(in srgb, var(--_accent) 9%, var(--_background)); }
.choice:disabled { border-color: var(--_border); color: var(--_muted); cursor: default; }
.choice[aria-pressed="true"] { border-color: var(--_accent); color: var(--_text); }
.choice .icon { width: 16px; height: 16px; flex: none; color: var(--_accent); }

.draft { margin-top: 12px; display: flex; }
.dots { display: inline-flex; gap: 5px; margin-top: 12px; padding: 15px 16px; border-radius: var(--_radius); border-end-start-radius: 6px; background: var(--_bubble); }
.dots i { width: 7px; height: 7px; border-radius: 50%; background: var(--_muted); animation: pulse 1.2s infinite ease-in-out; }
.dots i:nth-child(2) { animation-delay: 0.15s; }
.dots i:nth-child(3) { animation-delay: 0.3s; }
.empty { display: grid; place-items: center; min-height: 100%; margin: 0; padding: 24px; color: var(--_muted); text-align: center; }
.over { margin: 18px auto 6px; max-width: 30ch; color: var(--_muted); font-size: 13px; text-align: center; }
.newer { position: absolute; left: 50%; bottom: 84px; transform: translateX(-50%); display: inline-flex; align-items: center; gap: 6px; min-height: 36px; padding: 6px 14px; border: 1px solid var(--_border); border-radius: 18px; background: var(--_background); color: var(--_text); font-size: 13px; font-weight: 600; box-shadow: 0 4px 16px rgb(0 0 0 / 14%); }
.newer .icon { width: 16px; height: 16px; color: var(--_accent); }

.composer { padding: 8px 12px max(12px, env(safe-area-inset-bottom)); }
.field { display: flex; align-items: flex-end; gap: 6px; padding: 5px; padding-inline-start: 16px; border: 1.5px solid var(--_border); border-radius: 24px; background: var(--_background); transition: border-color 120ms ease; }
.field:focus-within { border-color: var(--_accent); box-shadow: 0 0 0 1px var(--_accent); }
.field.over-long { border-color: var(--_danger); box-shadow: 0 0 0 1px var(--_danger); }
textarea { flex: 1; min-width: 0; height: 40px; max-height: 148px; padding: 8px 0; border: 0; outline: 0; resize: none; background: none; color: inherit; font: 400 16px/24px var(--_font); overflow-y: auto; scrollbar-width: thin; }
textarea:focus-visible { outline: none; }
textarea::placeholder { color: var(--_muted); opacity: 1; }
.send { flex: none; display: grid; place-items: center; width: 40px; height: 40px; padding: 0; border: 0; border-radius: 50%; background: var(--_accent); color: var(--_on-accent); transition: opacity 120ms ease, transform 120ms ease; }
.send[aria-disabled="true"] { background: var(--_bubble); color: var(--_muted); cursor: default; }
.send:not([aria-disabled="true"]):active { transform: scale(0.94); }
.problem { margin: 6px 16px 0; color: var(--_danger); font-size: 13px; }
.problem:empty { display: none; }

@media (max-width: 480px) {
	:host(:not([mode="inline"])) .panel { inset: 0; width: 100%; height: 100dvh; border-radius: 0; padding-top: env(safe-area-inset-top); box-shadow: none; }
	:host(:not([mode="inline"])) .panel:not([hidden]) ~ .launcher { display: none; }
}
@keyframes appear { from { opacity: 0; transform: translateY(6px); } }
@keyframes rise { from { opacity: 0; transform: translateY(12px) scale(0.98); } }
@keyframes pulse { 0%, 60%, 100% { opacity: 0.35; } 30% { opacity: 1; } }
@media (prefers-reduced-motion: reduce) {
	*, *::before, *::after { animation-duration: 0.01ms !important; animation-iteration-count: 1 !important; transition: none !important; }
}
@media (forced-colors: active) {
	.bubble, .choice, .field, .launcher, .send, .panel { border: 1px solid; }
}
`;

/** The whole look, made once and shared by all elements of a page. */
export function styleSheet() {
	const sheet = new CSSStyleSheet();
	sheet.replaceSync(`
:host { ${themed()} ${LIGHT} }
@media (prefers-color-scheme: dark) { :host(:not([theme="light"])) { ${DARK} } }
:host([theme="dark"]) { ${DARK} }
${LAYOUT}`);
	return sheet;
}
