import { callboard } from "callboard";

/** The agent of the function-calling guide, its fragments put together: what it calls comes from outside. */
export function seedSupport({ db, scheduler, calendar }) {
	const pc = callboard();

	const agent = pc.agent("support", {
		voice: "elevenlabs:abc",
		language: "en",
		llm: {
			provider: "openai",
			model: "gpt-4.1-mini",
			enabled: true,
			prompt: "You are a helpful support agent. Use tools to look up information.",
		},
		tools: [
			{
				type: "function",
				function: {
					name: "lookupOrder",
					description: "Look up an order by its ID.",
					parameters: {
						type: "object",
						properties: {
							orderId: { type: "string", description: "The order ID, like ORD-12345" },
						},
						required: ["orderId"],
					},
				},
			},
			{
				type: "function",
				function: {
					name: "scheduleCallback",
					description: "Schedule a callback for a specific date and time.",
					parameters: {
						type: "object",
						properties: {
							datetime: { type: "string", description: "ISO 8601 datetime" },
							reason: { type: "string" },
						},
						required: ["datetime", "reason"],
					},
				},
			},
			{
				name: "findCustomer",
				description: "Find a customer by phone number or email.",
				parameters: {
					type: "object",
					properties: {
						query: { type: "string", description: "Phone or email" },
					},
					required: ["query"],
				},
			},
			{
				name: "transferToHuman",
				description: "Escalate to a human agent. Use when the customer is angry or has a complex issue.",
				parameters: {
					type: "object",
					properties: {
						department: { type: "string", enum: ["sales", "support", "billing"] },
					},
					required: ["department"],
				},
			},
			{
				name: "bookAppointment",
				description: "Book an appointment in the doctor's calendar.",
				parameters: {
					type: "object",
					properties: {
						datetime: { type: "string", description: "ISO 8601 datetime" },
						duration_minutes: { type: "number" },
						patient_name: { type: "string" },
					},
					required: ["datetime", "duration_minutes", "patient_name"],
				},
			},
			{
				name: "endCall",
				description: "End the call. Use when the customer says goodbye.",
				parameters: { type: "object", properties: {} },
			},
		],
	});

	agent.on("llm.tool_call", async (data, call) => {
		const results = [];

		for (const tc of data.toolCalls) {
			const args = JSON.parse(tc.arguments);

			try {
				let result;
				switch (tc.name) {
					case "lookupOrder":
						result = await db.orders.findOne(args.orderId);
						if (!result) result = { error: "Order not found" };
						break;
					case "scheduleCallback":
						result = await scheduler.book({
							phone: call.from,
							datetime: args.datetime,
							reason: args.reason,
						});
						break;
					case "findCustomer": {
						const customer = await db.customers.find({
							or: [{ phone: args.query }, { email: args.query }],
						});
						result = customer ?? { error: "not_found" };
						break;
					}
					case "transferToHuman": {
						const numbers = {
							sales: "+15551110000",
							support: "+15551110001",
							billing: "+15551110002",
						};
						call.say("Of course, let me connect you to a specialist.");
						call.forward(numbers[args.department]);
						result = { transferred: true };
						break;
					}
					case "bookAppointment": {
						const slot = await calendar.book({
							start: new Date(args.datetime),
							duration: args.duration_minutes,
							patient: args.patient_name,
						});
						result = slot.success
							? { booked: true, confirmationId: slot.id }
							: { booked: false, error: slot.conflictReason };
						break;
					}
					case "endCall": {
						call.say("Have a great day!");
						call.once("bot.finished", () => call.hangup());
						result = { ended: true };
						break;
					}
					default:
						result = { error: `Unknown tool: ${tc.name}` };
				}
				results.push({ toolCallId: tc.id, result });
			} catch (err) {
				results.push({ toolCallId: tc.id, result: { error: err.message } });
			}
		}

		call.toolResult(data.msgId, results);
	});

	return agent;
}
