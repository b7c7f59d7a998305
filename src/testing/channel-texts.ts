/** Texts that break careless channels, each longer than one message of `max` units. */
export function channelTexts(max: number): Record<string, string> {
	const over = (scrap: string) => scrap.repeat(Math.ceil((max * 2.3) / scrap.length));
	return {
		"one endless word": over("endless"),
		sentences: over("One sentence stands here. Does another? It does! "),
		paragraphs: over("A paragraph of its own, with some words in it.\n\n"),
		"families and flags": over("👩‍👩‍👧‍👦 🇪🇸 🏳️‍🌈 "),
		"a script without spaces": over("予約は月曜日の午前中にお願いします。"),
		accents: over("Señor Núñez, ¿qué día le viene bien? "),
		"what looks like markup": over("1.5 - (ok)! _x a<b & c>d 2 * 3 snake_case_name "),
		"just one unit too long": "x".repeat(max + 1),
	};
}
