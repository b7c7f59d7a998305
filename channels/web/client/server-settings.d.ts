import type { WidgetSettings } from "./settings.js";

declare global {
	/** Put in front of the widget by the server it is loaded from. */
	const serverSettings: Partial<WidgetSettings>;
}
