import { z } from "zod";

const tool = z.object({
	at: z.string(),
	doc: z.string(),
	order: z.array(z.string()),
	whole: z.literal(true).optional(),
	parameters: z.record(z.string(), z.json()).optional(),
	pii: z.array(z.string()),
});
const agent = z.object({
	file: z.string(),
	doc: z.string(),
	stages: z.array(z.string()).optional(),
	fields: z.record(z.string(), z.object({ doc: z.string(), pii: z.literal(true).optional() })),
	tools: z.record(z.string(), tool),
});
/** How a manifest looks in a file. */
export const manifestFormat = z.object({
	version: z.literal(1),
	digest: z.string(),
	files: z.array(z.string()),
	agents: z.record(z.string(), agent),
});
