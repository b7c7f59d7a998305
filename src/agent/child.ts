/** What `render()` may return and JSX may hold: plain data that the prompt turns into text. */
export type Child = string | number | boolean | null | undefined | PromptNode | readonly Child[];

/** One element of a prompt, as JSX makes it; rendered to text when the model is asked. */
export interface PromptNode {
	readonly $: "callboard.node";
	readonly type: string | symbol | ((props: never) => Child);
	readonly props: Readonly<Record<string, unknown>> & { readonly children?: Child };
}
