// Conformance: which earlier conversation a run is told of.
import assert from "node:assert/strict";
import type { Client } from "../../../server/client.ts";
import { OpenAiServer } from "../../support/models/openai_server.ts";
import { overBoth as test } from "./both_transports.ts";

/** Its model is asked over HTTP: what it gets is what arrives there. */
const agent = (server: OpenAiServer) =>
  `---\nmodel: { provider: local, name: m, base_url: "${server.url}" }\nhistory: high\n---\nTalk.\n`;

/** Has the agent say `answer` to each message in turn; returns what its model was told before the last one, without its task. */
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

test("a run is told of the last run of its session, and of no other's", async ({ workspace, client }) => {
  await using server = new OpenAiServer();
  await workspace.writeAgent("talker", agent(server));
  await client.reload();
  const told = (turns: Parameters<typeof talk>[1]) => talk({ client, server }, turns);
  assert.deepEqual(
    await told([
      { session_id: "red", message: "I am red.", answer: "Hello, red." },
      { session_id: "red", message: "Who am I?", answer: "Red." },
    ]),
    ["I am red.", "Hello, red."],
  );
  assert.deepEqual(
    await told([{ session_id: "blue", message: "Who am I?", answer: "Nobody knows." }]),
    [],
  );
  assert.deepEqual(
    await told([{ session_id: "red", message: "Still?", answer: "Still." }]),
    ["I am red.", "Hello, red.", "Who am I?", "Red."],
  );
});

test("a run without a session is told of the last one without a session alone, also after a restart", async (on) => {
  await using server = new OpenAiServer();
  await on.workspace.writeAgent("talker", agent(server));
  await on.client.reload();
  const told = (turns: Parameters<typeof talk>[1]) => talk({ client: on.client, server }, turns);
  assert.deepEqual(
    await told([
      { session_id: "red", message: "I am red.", answer: "Hello, red." },
      { message: "Who am I?", answer: "Nobody knows." },
    ]),
    [],
  );
  await on.restart();
  assert.deepEqual(
    await told([{ message: "And now?", answer: "Still nobody." }]),
    ["Who am I?", "Nobody knows."],
  );
  assert.deepEqual(
    await told([{ session_id: "red", message: "And I?", answer: "Red." }]),
    ["I am red.", "Hello, red."],
  );
});
