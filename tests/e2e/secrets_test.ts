// A model provider's key goes to its provider and nowhere else: not into the database, the log, frames or errors.
import assert from "node:assert/strict";
import { join } from "node:path";
import { OpenAiServer } from "../support/openai_server.ts";
import { filesBelow } from "../support/repository.ts";
import { createRealHome } from "./real_process.ts";

const KEY = "sk-distinctive-0123456789-abcdef";

Deno.test("after good and failed runs a distinctive key is in no file, frame, error or output", async () => {
  await using server = new OpenAiServer([
    // The endpoint itself gives the key back, in text and in a call: the worst it can do.
    {
      text: `Your key is ${KEY}.`,
      toolCalls: [{ id: "1", name: "file_write", arguments: { path: "leak.txt", content: KEY } }],
    },
    { text: ["It is sk-disti", "nctive-0123456789-abcdef indeed."] },
    {
      status: 401,
      body: JSON.stringify({ error: { message: `Incorrect API key provided: ${KEY}` } }),
    },
    { status: 200, body: `no stream, but ${KEY}` },
  ]);
  await using home = await createRealHome();
  await Deno.mkdir(join(home.agentsDir, "_config"));
  await Deno.writeTextFile(join(home.agentsDir, "_config", ".env"), `ELSEWHERE_API_KEY=${KEY}\n`);
  await home.writeAgent(
    "keyed",
    `---\nmodel: { provider: elsewhere, name: tiny, base_url: "${server.url}" }\n` +
      "auto_approve: [file_write]\n---\nUse ${ELSEWHERE_API_KEY} well.\n",
  );
  let shown = "";
  for (let run = 0; run < 3; run++) {
    const { stdout, stderr } = await home.inkling("run", "keyed", "--verbose");
    shown += stdout + stderr;
  }
  assert.equal(server.request(0).headers.get("authorization"), `Bearer ${KEY}`);
  using client = home.client();
  const executions = await client.executions();
  assert.deepEqual(executions.map(({ status }) => status), ["error", "error", "success"]);
  for (const { id } of executions) {
    shown += JSON.stringify([await client.execution(id), await client.messages(id)]);
    for await (const frame of client.follow(id, { deltas: true })) shown += frame.data;
  }
  for (const args of [["logs", "keyed"], ["logs", "-e", "1"], ["info"], ["validate"]]) {
    const { stdout, stderr } = await home.inkling(...args);
    shown += stdout + stderr;
  }
  assert.ok(!shown.includes(KEY));
  assert.match(shown, /\[redacted:ELSEWHERE_API_KEY\]/);
  await home.inkling("stop");
  const text = new TextDecoder("latin1");
  for (const path of [...filesBelow(home.stateDir), join(home.workspace, "leak.txt")]) {
    assert.ok(!text.decode(await Deno.readFile(path)).includes(KEY), path);
  }
  const prompt = JSON.stringify(server.request(0).body);
  assert.ok(!prompt.includes(KEY), "the prompt does not hold it either");
  assert.match(prompt, /\$\{ELSEWHERE_API_KEY\}/);
});
