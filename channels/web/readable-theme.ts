import type { WebTheme } from "./web-options.js";

const LIGHT_TEXT = "#ffffff";
const DARK_TEXT = "#000000";
const DARK_PANEL = "#151b1c";

/** What words need to be read on their background, and shapes to be seen on it, by WCAG. */
const READABLE = 4.5;
const VISIBLE = 3;

/**
 * Fills in what an accent of six hexadecimal digits leaves open: text that can be read on it, and a lighter accent for
 * dark mode where it would drown in the background. Other colours stay as they are.
 */
export function readableTheme(theme: WebTheme): WebTheme {
	const { accent } = theme;
	if (accent === undefined || !isHex(accent)) return theme;
	const accentDark = theme.accentDark ?? lightened(accent);
	return {
		...theme,
		onAccent: theme.onAccent ?? textOn(accent),
		accentDark,
		...(theme.onAccentDark === undefined && isHex(accentDark) && { onAccentDark: textOn(accentDark) }),
	};
}

function isHex(colour: string): boolean {
	return /^#[\da-f]{6}$/i.test(colour);
}

function textOn(colour: string): string {
	return contrast(LIGHT_TEXT, colour) >= READABLE ? LIGHT_TEXT : DARK_TEXT;
}

function lightened(colour: string): string {
	const channels = bytes(colour);
	for (let white = 0; white < 1; white += 0.1) {
		const mixed = `#${channels.map((each) => hex(each + (255 - each) * white)).join("")}`;
		if (contrast(mixed, DARK_PANEL) >= VISIBLE) return mixed;
	}
	return LIGHT_TEXT;
}

function contrast(a: string, b: string): number {
	const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
	return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
	const [r = 0, g = 0, b = 0] = bytes(colour).map((each) => {
		const part = each / 255;
		return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
	});
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function bytes(colour: string): number[] {
	return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}

function hex(byte: number): string {
	return Math.round(byte).toString(16).padStart(2, "0");
}
