/** An agent that hands a call to people when it is asked to, and its scripted demo. */
export const shopFiles = {
	"agents/shop/agent.tsx": `
import { Agent, tool } from "callboard";

/** You answer for a shop. */
export default class Shop extends Agent {
	static events = { paid: { from: ["app"] } };

	onEvent(name: string, data: { order: number }) {
		if (name === "paid") this.call.say(\`Order \${data.order} is paid, thank you.\`);
	}

	/** Hands the call to people. */
	@tool()
	human(): string {
		this.call.forward("counter");
		return "handed over";
	}
}
`,
	"agents/shop/demo.yaml": `
script: shop
rules:
  - when: { said: 'human' }
    call: { human: {} }
otherwise: How can I help?
`,
};
