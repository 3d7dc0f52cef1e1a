// Serves a model that refuses every other request of an agent as overloaded, so that each reply follows a retry.
import { OpenAiServer } from "../../tests/support/models/openai_server.ts";

/**
 * Starts the server. Each agent names a model of its own. The first reply in a conversation calls file tools, the second
 * reply is the answer.
 */
export function openBusyModel(): OpenAiServer {
  const requests = new Map<unknown, number>();
  return new OpenAiServer([], ({ model, messages }) => {
    const count = 1 + (requests.get(model) ?? 0);
    requests.set(model, count);
    if (count % 2 === 1) return { status: 503, body: "{}" };
    const hasLooked = (messages as { role: string }[]).some(({ role }) => role === "tool");
    return hasLooked
      ? { text: "Looked." }
      : { toolCalls: [{ name: "file_glob", arguments: { pattern: "*.md" } }] };
  });
}
