// Tests that a provider's key is sent only to the provider, and appears in no database, log, frame or error.
import assert from "node:assert/strict";
import { basename, join } from "node:path";
import { OpenAiServer } from "../support/models/openai_server.ts";
import { filesBelow } from "../support/repository.ts";
import { rowsOf } from "../support/test_workspace.ts";
import { createRealHome, type RealHome } from "./real_process.ts";

const KEY = "sk-distinctive-0123456789-abcdef";

Deno.test("a provider's key is in no file, frame, error or output", async () => {
  await using server = new OpenAiServer([
    // The worst case: the endpoint returns the key in a text and in a call.
    {
      text: `Your key is ${KEY}.`,
      toolCalls: [
        { id: "1", name: "file_write", arguments: { path: "leak.txt", content: KEY } },
        { id: "2", name: "file_read", arguments: { path: "found.txt" } },
      ],
    },
    { text: ["It is sk-disti", "nctive-0123456789-abcdef indeed."] },
    {
      status: 401,
      body: JSON.stringify({ error: { message: `Incorrect API key provided: ${KEY}` } }),
    },
    { status: 200, body: `no stream, but ${KEY}` },
  ]);
  await using home = await createKeyedHome(
    server,
    "auto_approve: [file_write]\n---\nUse ${ELSEWHERE_API_KEY} well.\n",
  );
  // The worst case: the agent reads a file with the key.
  await Deno.writeTextFile(join(home.workspace, "found.txt"), `The key: ${KEY}\n`);
  const { stdout, stderr } = await home.inkling("run", "keyed", "--verbose");
  let shown = stdout + stderr;
  assert.equal(server.request(0).headers.get("authorization"), `Bearer ${KEY}`);
  using client = home.client();
  for (const _ of ["refused", "no stream"]) {
    const { execution_id: id } = await client.run("keyed");
    await Array.fromAsync(client.follow(id));
  }
  const executions = await client.executions();
  assert.deepEqual(executions.map(({ status }) => status), ["error", "error", "success"]);
  for (const { id } of executions) {
    shown += JSON.stringify([await client.execution(id), await client.messages(id)]);
    for await (const frame of client.follow(id, { deltas: true })) shown += frame.data;
  }
  for (const args of [["logs", "keyed"], ["info"]]) {
    const { stdout, stderr } = await home.inkling(...args);
    shown += stdout + stderr;
  }
  assert.ok(!shown.includes(KEY));
  assert.match(shown, /\[redacted:ELSEWHERE_API_KEY\]/);
  await home.inkling("stop");
  await assertNotStored([...filesBelow(home.stateDir), join(home.workspace, "leak.txt")]);
  assert.match(JSON.stringify(server.request(0).body), /\$\{ELSEWHERE_API_KEY\}/);
  assert.match(JSON.stringify(server.request(1).body), /The key: \[redacted:ELSEWHERE_API_KEY\]/);
  assertNotSent(server);
});

Deno.test("a key in a caller's texts reaches neither the model nor a conversation", async () => {
  await using server = new OpenAiServer([
    { toolCalls: [{ id: "1", name: "file_read", arguments: { path: "a.txt" } }] },
    { text: "Done." },
  ]);
  await using home = await createKeyedHome(server, "confirm: [file_read]\n---\nLook for $0.\n");
  await Deno.writeTextFile(join(home.workspace, "a.txt"), "Nothing.");
  const asked = await home.inkling("run", "keyed", KEY, "--context", `It is ${KEY}.`);
  assert.equal(asked.code, 4, asked.stderr);
  const answered = await home.succeed("respond", "1", "--yes", "--reason", `Try ${KEY}`);
  await home.inkling("stop");
  server.assertDone();
  assertNotSent(server);
  const hidden = "[redacted:ELSEWHERE_API_KEY]";
  const last = JSON.stringify(server.request(1).body);
  for (const text of [`Look for ${hidden}.`, `It is ${hidden}.`, `said: Try ${hidden}`]) {
    assert.ok(last.includes(text), text);
  }
  const shown = [asked, answered].flatMap(({ stdout, stderr }) => [stdout, stderr]).join();
  assert.ok(!shown.includes(KEY));
  // The database keeps the callers' texts unchanged, because a resumed run needs the same texts.
  assert.deepEqual(await columnsHolding(home, KEY), ["executions.request", "requests.response"]);
  const isDatabase = (path: string) => basename(path).startsWith("inkling.db");
  await assertNotStored([...filesBelow(home.stateDir)].filter((path) => !isDatabase(path)));
});

/** Creates a home with an agent `keyed` whose model is this server; `rest` is further front matter. */
async function createKeyedHome(server: OpenAiServer, rest: string): Promise<RealHome> {
  const home = await createRealHome();
  await Deno.mkdir(join(home.agentsDir, "_config"));
  await Deno.writeTextFile(join(home.agentsDir, "_config", ".env"), `ELSEWHERE_API_KEY=${KEY}\n`);
  await home.writeAgent(
    "keyed",
    `---\nmodel: { provider: elsewhere, name: tiny, base_url: "${server.url}" }\n${rest}`,
  );
  return home;
}

function assertNotSent({ requests }: OpenAiServer): void {
  for (const [index, { body }] of requests.entries()) {
    assert.ok(!JSON.stringify(body).includes(KEY), `request ${index} holds the key`);
  }
}

async function assertNotStored(paths: readonly string[]): Promise<void> {
  const text = new TextDecoder("latin1");
  for (const path of paths) {
    assert.ok(!text.decode(await Deno.readFile(path)).includes(KEY), path);
  }
}

/** Returns the columns of the database that contain this text, as `table.column`. */
async function columnsHolding(home: RealHome, text: string): Promise<string[]> {
  return (await rowsOf(home)).flatMap(([table, rows]) => {
    const held = rows.flatMap((row) => Object.entries(row))
      .filter(([, value]) => String(value).includes(text));
    return [...new Set(held.map(([column]) => `${table}.${column}`))].sort();
  });
}
