const NAMESPACE = "http://www.w3.org/2000/svg";

const PATHS = {
	chat: "M4 6.5A2.5 2.5 0 0 1 6.5 4h11A2.5 2.5 0 0 1 20 6.5v7a2.5 2.5 0 0 1-2.5 2.5H11l-4.2 3.6c-.5.4-1.1 0-1.1-.5V16A2.5 2.5 0 0 1 4 13.5z",
	close: "M6 6l12 12M18 6L6 18",
	send: "M12 19V5M5.5 11.5L12 5l6.5 6.5",
	down: "M12 5v14M5.5 12.5L12 19l6.5-6.5",
	check: "M5 12.5l4.5 4.5L19 7.5",
	file: "M7 3.5h7l4.5 4.5v11a1.5 1.5 0 0 1-1.5 1.5H7A1.5 1.5 0 0 1 5.5 19V5A1.5 1.5 0 0 1 7 3.5zM13.5 3.5V8.5H18.5",
};

/**
 * A drawing without meaning of its own: hidden from screen readers.
 * @param {keyof typeof PATHS} name
 */
export function icon(name) {
	const svg = document.createElementNS(NAMESPACE, "svg");
	svg.setAttribute("viewBox", "0 0 24 24");
	svg.setAttribute("aria-hidden", "true");
	svg.setAttribute("class", `icon icon-${name}`);
	const path = document.createElementNS(NAMESPACE, "path");
	path.setAttribute("d", PATHS[name]);
	svg.append(path);
	return svg;
}
