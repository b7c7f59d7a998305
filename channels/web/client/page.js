/** Fills in the embed snippet with the address of this server, and copies it. */
const snippet = document.getElementById("snippet");
const copy = document.getElementById("copy");

if (snippet !== null && copy !== null) {
	const address = new URL(snippet.dataset.path ?? "", location.href).href;
	snippet.textContent = `<script src="${address}" async></script>\n<callboard-chat></callboard-chat>`;
	copy.addEventListener("click", async () => {
		await navigator.clipboard.writeText(snippet.textContent ?? "");
		copy.textContent = "Copied";
		setTimeout(() => {
			copy.textContent = "Copy";
		}, 2000);
	});
}
