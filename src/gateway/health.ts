/** Whether this process can do its work now, with one word for each thing it needs. Public: never a secret, never an address. */
export interface Health {
	ready: boolean;
	/** Such as `{ backend: "ok", web: "ok", model: "open breaker" }`. */
	checks: Readonly<Record<string, string>>;
}
