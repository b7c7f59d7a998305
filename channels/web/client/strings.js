const ENGLISH = {
	open: "Open chat",
	close: "Close chat",
	conversation: "Conversation",
	message: "Message",
	placeholder: "Write a message…",
	send: "Send",
	online: "Online",
	attended: "A person of the team answers",
	connecting: "Connecting…",
	reconnecting: "Connection lost. Reconnecting…",
	offline: "You are offline. Messages will be sent when you are back.",
	refused: "This chat is not available on this site.",
	typing: "Writing an answer",
	newer: "New messages",
	unread: "{n} new",
	you: "You:",
	agent: "{title}:",
	human: "A person of the team",
	choices: "Suggested answers",
	chosen: "chosen",
	sending: "Sending…",
	rate: "A little fast. Sending again in a moment.",
	busy: "Still working on your earlier messages. Sending again in a moment.",
	unavailable: "Not delivered yet. Trying again.",
	failed: "Not sent.",
	tooLarge: "Not sent: too long.",
	edit: "Edit",
	tooLong: "{n} characters too many",
	ended: "This conversation has ended. Write to start a new one.",
	empty: "Write a message to begin.",
	today: "Today",
	download: "Open file",
	image: "Picture",
};

/** @typedef {typeof ENGLISH} Strings */

/** @type {Strings} */
const SPANISH = {
	open: "Abrir el chat",
	close: "Cerrar el chat",
	conversation: "Conversación",
	message: "Mensaje",
	placeholder: "Escribe un mensaje…",
	send: "Enviar",
	online: "En línea",
	attended: "Responde una persona del equipo",
	connecting: "Conectando…",
	reconnecting: "Se perdió la conexión. Reconectando…",
	offline: "Estás sin conexión. Los mensajes se enviarán cuando vuelvas.",
	refused: "Este chat no está disponible en este sitio.",
	typing: "Escribiendo una respuesta",
	newer: "Mensajes nuevos",
	unread: "{n} nuevos",
	you: "Tú:",
	agent: "{title}:",
	human: "Una persona del equipo",
	choices: "Respuestas sugeridas",
	chosen: "elegida",
	sending: "Enviando…",
	rate: "Vas muy rápido. Se reenviará en un momento.",
	busy: "Seguimos con tus mensajes anteriores. Se reenviará en un momento.",
	unavailable: "Aún sin entregar. Reintentando.",
	failed: "No enviado.",
	tooLarge: "No enviado: es demasiado largo.",
	edit: "Editar",
	tooLong: "Sobran {n} caracteres",
	ended: "Esta conversación ha terminado. Escribe para empezar otra.",
	empty: "Escribe un mensaje para empezar.",
	today: "Hoy",
	download: "Abrir archivo",
	image: "Imagen",
};

/** @type {Record<string, Strings>} */
const LANGUAGES = { en: ENGLISH, es: SPANISH };

/**
 * The labels in a language we have, English otherwise, with single ones replaced.
 * @param {string} language BCP 47 tag
 * @param {Record<string, string>} replaced
 * @returns {Strings}
 */
export function stringsFor(language, replaced) {
	const base = LANGUAGES[language.toLowerCase().split("-")[0] ?? ""] ?? ENGLISH;
	return { ...base, ...replaced };
}

/**
 * @param {string} text with places like `{n}`
 * @param {Record<string, string | number>} values
 */
export function fill(text, values) {
	return text.replace(/\{(\w+)\}/g, (place, name) => String(values[name] ?? place));
}
