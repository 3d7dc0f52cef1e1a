// Tests of one agent in real processes: the screen, the bytes of the socket, and the state after a kill.
import assert from "node:assert/strict";
import { join } from "node:path";
import { openHttpClient } from "../../api/client/http_client.ts";
import { OpenAiServer } from "../support/models/openai_server.ts";
import { createRealHome, killService, type RealHome } from "./real_process.ts";

const usesServer = (server: { url: string }) =>
  `---\nmodel: { provider: elsewhere, name: tiny, base_url: "${server.url}" }\n` +
  `auto_approve: [file_write]\n---\nRead a.txt and write b.txt.\n`;

const KEY = { ELSEWHERE_API_KEY: "key-0123456789" };

/** Returns the raw events of a stream by frame id. The key `none` has the last event without an id. */
async function readRawStream(home: RealHome, id: number): Promise<Map<string, string>> {
  const http = openHttpClient(join(home.stateDir, "service.sock"));
  try {
    const response = await fetch(`http://localhost/executions/${id}/stream`, { client: http });
    const events = (await response.text()).split("\n\n").filter((event) => event !== "");
    return new Map(events.map((event) => [/^id: (\d+)$/m.exec(event)?.[1] ?? "none", event]));
  } finally {
    http.close();
  }
}

Deno.test("a run's live and replayed streams are equal, beside another workspace, and kill -9 loses no logged frame", async () => {
  await using server = new OpenAiServer([
    {
      text: ["I will ", "look."],
      toolCalls: [{ name: "file_read", arguments: { path: "a.txt" } }],
    },
    { toolCalls: [{ name: "file_write", arguments: { path: "b.txt", content: "copy" } }] },
    { text: ["Do", "ne."] },
  ]);
  await using home = await createRealHome({ shell: KEY });
  await Deno.writeTextFile(join(home.workspace, "a.txt"), "alpha");
  await home.writeAgent("copier", usesServer(server));
  const look = { call: [{ name: "file_read", arguments: { path: "a.txt" } }] };
  await home.writeScript("walker", [look, look, look, { say: "late", delay_ms: 600_000 }]);
  await home.startService();
  using client = home.client();
  const { execution_id: id, model } = await client.run("copier");
  assert.equal(model, "elsewhere/tiny");
  const live = await readRawStream(home, id);
  const replay = await readRawStream(home, id);
  assert.deepEqual(replay, live);
  assert.ok(!live.has("none"), "every frame has an id");
  const types = [...live.values()].map((event) => /^event: (\w+)/.exec(event)?.[1]);
  assert.equal(
    types.join(" "),
    "meta message message tool_call meta tool_result tool_call meta tool_result ai meta final_answer complete",
  );
  assert.equal(await Deno.readTextFile(join(home.workspace, "b.txt")), "copy");
  server.assertDone();
  const detail = await client.execution(id);
  assert.equal(detail.status, "success");
  assert.equal(detail.output_data, "Done.");
  assert.equal(detail.total_tokens, 45);
  await runElsewhere(home);
  await loseNoFrame(home);
});

/** Kills the service during a run, and checks that the next service has every frame that was seen. */
async function loseNoFrame(home: RealHome): Promise<void> {
  const seen: string[] = [];
  let id: number;
  {
    using client = home.client();
    ({ execution_id: id } = await client.run("walker"));
    await assert.rejects(async () => {
      for await (const frame of client.follow(id)) {
        seen.push(`${frame.id} ${frame.data}`);
        if (seen.length === 12) await killService(home.stateDir);
      }
    });
  }
  assert.equal(seen.length, 12);
  await home.startService();
  using client = home.client();
  const replay: string[] = [];
  for await (const frame of client.follow(id)) {
    replay.push(`${frame.id} ${frame.data}`);
  }
  assert.deepEqual(replay.slice(0, 12), seen);
  assert.equal(replay.length, 13);
  const detail = await client.execution(id);
  assert.equal(detail.status, "orphaned");
}

/** Runs an agent of another workspace while this home's service runs. */
async function runElsewhere(home: RealHome): Promise<void> {
  const other = join(home.root, "other");
  await Deno.mkdir(join(other, "agents"), { recursive: true });
  await Deno.writeTextFile(
    join(other, "agents", "yonder.md"),
    "---\nmodel: { provider: demo, name: echo }\n---\nSay something.\n",
  );
  try {
    const there = ["run", "yonder", "-q", "--workspace", other, "--message", "hi"];
    assert.equal((await home.succeed(...there)).stdout, "hi\n");
    const crossed = await home.inkling("run", "copier", "--workspace", other);
    assert.equal(crossed.code, 2);
    assert.match(crossed.stderr, /no agent "copier"/);
  } finally {
    const [state, ...more] = Deno.readDirSync(join(home.stateDir, "workspaces"))
      .filter(({ name }) => /^other-[0-9a-f]{8}$/.test(name));
    assert.deepEqual(more, []);
    await killService(join(home.stateDir, "workspaces", state?.name ?? assert.fail("no state")));
  }
}
