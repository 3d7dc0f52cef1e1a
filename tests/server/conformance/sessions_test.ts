// API conformance: the conversation that a run continues.
import assert from "node:assert/strict";
import type { Client } from "../../../api/client/client.ts";
import { OpenAiServer } from "../../support/models/openai_server.ts";
import { overTcp as test } from "./both_transports.ts";

/** Returns an agent whose model is this server, so that tests read the requests. */
const agent = (server: OpenAiServer) =>
  `---\nmodel: { provider: local, name: m, base_url: "${server.url}" }\nhistory: high\n---\nTalk.\n`;

/**
 * Sends each message to the agent and answers it with `answer`. Returns the earlier messages in the last request to the
 * model.
 */
async function talk(
  { client, server }: { client: Client; server: OpenAiServer },
  turns: readonly { message: string; answer: string; session_id?: string }[],
): Promise<string[]> {
  for (const { answer, ...body } of turns) {
    server.push({ text: answer });
    const { execution_id } = await client.run("talker", body);
    await Array.fromAsync(client.follow(execution_id));
    assert.equal((await client.execution(execution_id)).status, "success");
  }
  const { messages } = server.request(server.requests.length - 1).body as {
    messages: { role: string; content: string }[];
  };
  return messages.filter(({ role }) => role !== "system").slice(0, -1).map(({ content }) =>
    content
  );
}

test("a run continues the last run of its session", async (on) => {
  await using server = new OpenAiServer();
  await on.workspace.writeAgent("talker", agent(server));
  await on.client.reload();
  const earlier = (...turns: Parameters<typeof talk>[1]) =>
    talk({ client: on.client, server }, turns);
  const red = ["I am red.", "Hello, red.", "Who am I?", "Red."];
  assert.deepEqual(
    await earlier(
      { session_id: "red", message: "I am red.", answer: "Hello, red." },
      { session_id: "red", message: "Who am I?", answer: "Red." },
    ),
    red.slice(0, 2),
  );
  const strangers = await earlier(
    { session_id: "blue", message: "Who am I?", answer: "Nobody knows." },
  );
  assert.deepEqual(strangers, []);
  assert.deepEqual(await earlier({ message: "Who am I?", answer: "Nobody knows." }), []);
  await on.restart();
  assert.deepEqual(
    await earlier({ message: "And now?", answer: "Still nobody." }),
    ["Who am I?", "Nobody knows."],
  );
  assert.deepEqual(await earlier({ session_id: "red", message: "I?", answer: "Still." }), red);
});
