import type { AgentDeclaration } from "../agent/declaration.js";
import type { Channel } from "../channel/channel.js";
import type { Model } from "../model/model.js";

/** One configured channel account, with the agent that answers it. */
export interface Door {
	/** Part of every address that comes in by it; must not change while calls are open. */
	name: string;
	channel: Channel;
	agent: AgentDeclaration;
	model: Model;
	/** Time zone of `call.today`. Default UTC. */
	timeZone?: string;
}
