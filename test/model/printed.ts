/** Asks a model whose server refuses the key, then one whose stream cannot be read. Run by a test, as a process. */
import { openai } from "../../src/model/openai.js";
import { openaiErrors, startModelServer } from "../../src/testing/model-server.js";
import { ask } from "./asking.js";

const key = "sk-live-abcdef0123456789";
const server = await startModelServer();
server.answer({ status: 401, error: openaiErrors.badKey(key) }, { raw: `data: {"${key}"\n\n` });
const model = openai({ apiKey: key, baseURL: server.baseURL, model: "small", retry: { attempts: 1 } });
for (let n = 0; n < 2; n += 1) await ask(model).catch((error: { code: string }) => console.log(error.code));
await server.close();
