/**
 * What the server says about itself.
 * @typedef {object} WidgetSettings
 * @property {string} title
 * @property {string} subtitle
 * @property {string} notice stays above the conversation; empty for none
 * @property {string} path where the chat lives on the server: `/chat`
 * @property {string} language language of labels; empty for the browser's
 * @property {number} maxCharacters longest message
 * @property {Record<string, string>} strings labels in place of ours
 * @property {{ accent?: string, onAccent?: string, accentDark?: string, onAccentDark?: string, radius?: string, font?: string, mode?: string, side?: string }} theme
 */

/** @type {WidgetSettings} */
export const settings = {
	title: "Chat",
	subtitle: "",
	notice: "",
	path: "/chat",
	language: "",
	maxCharacters: 8000,
	strings: {},
	theme: {},
	...(typeof serverSettings === "undefined" ? {} : serverSettings),
};

/** The server this script came from. */
export const scriptOrigin = originOfScript();

function originOfScript() {
	if (typeof document === "undefined") return "http://127.0.0.1";
	const script = document.currentScript;
	return script instanceof HTMLScriptElement && script.src !== "" ? new URL(script.src).origin : location.origin;
}
