/** What kind of line a call runs over, as an agent sees it in `call.transport`. */
export type Transport = "chat" | "whatsapp" | "telegram" | "slack" | "phone" | "webrtc";
