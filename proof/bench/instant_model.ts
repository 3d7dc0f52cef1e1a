// The program of a model endpoint that replies at once: first with tool calls, then, after their results, with an answer.
// It replies to "Say: DONE." with the answer directly. Arguments: the number of calls before the answer, and the
// milliseconds before each reply, and the call as JSON.
import { CHAT_COMPLETIONS } from "../../tests/support/models/openai_server.ts";

const [calls = "1", latency = "0", json] = Deno.args;
const toolCall = json === undefined
  ? { name: "file_read", arguments: { path: "note.txt" } }
  : JSON.parse(json);
const encoder = new TextEncoder();
const call = encoder.encode(CHAT_COMPLETIONS.write({ toolCalls: [toolCall] }).join(""));
const answer = encoder.encode(CHAT_COMPLETIONS.write({ text: "Done." }).join(""));

Deno.serve({
  port: 0,
  hostname: "127.0.0.1",
  onListen: ({ port }) => console.log(`http://127.0.0.1:${port}`),
}, async (request) => {
  const text = await request.text();
  const { messages } = JSON.parse(text) as { messages: { role: string }[] };
  // The conversation begins with the messages of earlier runs, whose results do not count.
  const begin = messages.findLastIndex(({ role }) => role === "user");
  const results = messages.slice(begin).filter(({ role }) => role === "tool").length;
  const isOver = results >= Number(calls) || text.includes("Say: DONE.");
  if (latency !== "0") await new Promise((resolve) => setTimeout(resolve, Number(latency)));
  const body = isOver ? answer : call;
  return new Response(body, { headers: { "content-type": CHAT_COMPLETIONS.contentType } });
});
