// Tests dry runs through the runtime's interface: they change nothing, ask nobody and start no agent.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Runtime } from "../../../runtime/interface/runtime.ts";
import type { TestWorkspace } from "../../support/test_workspace.ts";
import { createTestWorkspace, payloadsOf, runToEnd } from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";
import { answerToEnd, ASK, call, createToolPlace, delegate, doing } from "./executions_of.ts";
import { listFiles, resultsOf, seededOf } from "./executions_of.ts";
import { writeConfig, writeSkill, writeWitness } from "./executions_of.ts";

const DRY = { dryRun: true };

interface WouldDo {
  execution_id: number;
  agent_id: string;
  tool_name: string;
  summary: string;
  preview: Record<string, unknown> | null;
}

/** Returns the calls that a dry run describes. */
async function wouldDo(runtime: Runtime, id: number): Promise<WouldDo[]> {
  return (await resultsOf(runtime, id)).flatMap((one) => (one["would_do"] ?? []) as WouldDo[]);
}

const put = (place: TestWorkspace, path: string, text: string) =>
  writeConfig(place, `../../${path}`, text);

Deno.test("a dry run with every kind of tool changes nothing", async () => {
  const requests: string[] = [];
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    requests.push(request.method);
    return new Response("page");
  });
  const shell = { PATH: Deno.env.get("PATH") ?? "" };
  const lines = 'http: { allow: ["127.0.0.1"] }\ndefaults: { mcp_confirm: none }\n';
  await using place = await createToolPlace({ shell, lines });
  const { trace } = await writeWitness(place);
  const own = ["read", "idempotent", "unsafe"].map((effect) => {
    const path = `notes/own_${effect}.txt`;
    const tool = {
      ...{ description: "x", parameters: { properties: {}, required: [] } },
      ...(effect !== "unsafe" && { effect }),
    };
    return `export const own_${effect} = { ...${JSON.stringify(tool)},
      async run(_, { resolvePath }) {
        if ("${effect}" !== "read") await Deno.writeTextFile(await resolvePath("${path}"), "x");
        return "own_${effect} ran";
      } };`;
  });
  await put(place, "agents/_config/tools/own.ts", own.join("\n"));
  await writeSkill(place, "act", "Run scripts/act.sh.");
  await writeConfig(place, "skills/act/scripts/act.sh", `#!/bin/sh\necho script >> ${trace}\n`);
  await put(place, "notes/old.md", "one\ntwo\n");
  await put(place, "notes/gone.md", "bye\n");
  await put(place, "notes/moved.md", "here\n");
  const url = `http://127.0.0.1:${server.addr.port}/`;
  const changing = [
    call("file_write", { path: "notes/new.md", content: "a\nb\nc\n" }),
    call("file_write", { path: "notes/old.md", content: "one\nzwei\n" }),
    call("file_edit", { path: "notes/old.md", old_text: "one", new_text: "1" }),
    call("file_delete", { path: "notes/gone.md" }),
    call("file_move", { source: "notes/moved.md", destination: "notes/there.md" }),
    call("memory_save", { section: "Facts", content: "new" }),
    call("memory_append", { section: "Facts", content: "more" }),
    ...["POST", "PUT", "PATCH", "DELETE"].map((method) => call("http_request", { url, method })),
    call("own_idempotent"),
    call("own_unsafe"),
    call("change"),
    call("set"),
    call("skill_run_script", { skill_name: "act", script_name: "act.sh" }),
  ];
  await place.writeScript(
    "all",
    [
      {
        call: [
          call("file_read", { path: "notes/old.md" }),
          call("http_request", { url, method: "GET" }),
          call("own_read"),
          call("look"),
          call("skill_use", { skill_name: "act" }),
        ],
      },
      { call: changing },
      { call: [call("file_read", { path: "notes/old.md" })] },
      { say: "Done." },
    ],
    'tools: [own]\nmcp: [witness]\nskills: [act]\nauto_approve: "*"',
  );
  await using runtime = await place.open();
  const before = await listFiles(place.workspace);
  const dry = await runToEnd(runtime, "all", DRY);
  assert.deepEqual([dry.status, dry.outputData, dry.isDryRun], ["success", "Done.", true]);
  assert.deepEqual(await listFiles(place.workspace), before);
  // The tools that only read were called.
  assert.deepEqual(requests, ["GET"]);
  assert.equal(await Deno.readTextFile(trace), "look\n");
  const results = await resultsOf(runtime, dry.id);
  const contents = results.map(({ content }) => String(content));
  assert.match(contents[0] ?? "", /two/);
  assert.match(contents[1] ?? "", /page/);
  assert.match(contents[2] ?? "", /own_read ran/);
  assert.match(contents[3] ?? "", /look did it/);
  assert.match(contents.at(-1) ?? "", /two/);
  const described = results.slice(5, 5 + changing.length);
  for (const { content, is_error } of described) {
    assert.match(String(content), /^Would .*; not done: this is a dry run\. What you read stays/);
    assert.equal(is_error, false);
  }
  const list = await wouldDo(runtime, dry.id);
  assert.deepEqual(list.map(({ tool_name }) => tool_name), changing.map(({ name }) => name));
  assert.deepEqual(list.slice(0, 6).map(({ summary }) => summary), [
    "write notes/new.md (new file, +3)",
    "write notes/old.md (+1 -1)",
    "write notes/old.md (+1 -1)",
    "delete notes/gone.md (-1)",
    "move notes/moved.md to notes/there.md",
    'call memory_save {"section":"Facts","content":"new"}',
  ]);
  assert.deepEqual(list[1]?.preview, {
    path: "notes/old.md",
    diff: "@@ -1,2 +1,2 @@\n one\n-two\n+zwei\n",
    added: 1,
    removed: 1,
    is_new_file: false,
    problem: null,
  });
  const [info] = await payloadsOf(runtime, dry.id);
  assert.equal(info?.["dry_run"], true);

  const real = await runToEnd(runtime, "all");
  assert.deepEqual([real.status, real.isDryRun], ["success", undefined]);
  const failed = (await resultsOf(runtime, real.id)).filter(({ is_error }) => is_error);
  assert.deepEqual(failed.map(({ content }) => content), []);
  assert.deepEqual(await wouldDo(runtime, real.id), []);
  const after = await listFiles(place.workspace);
  const changed = Object.keys({ ...before, ...after }).filter((one) => before[one] !== after[one]);
  assert.deepEqual(changed.sort(), [
    ...["agents/all.memory.md", "notes/gone.md", "notes/moved.md", "notes/new.md"],
    ...["notes/old.md", "notes/own_idempotent.txt", "notes/own_unsafe.txt", "notes/there.md"],
  ]);
  assert.deepEqual(requests.sort(), ["DELETE", "GET", "GET", "PATCH", "POST", "PUT"]);
  const traced = (await Deno.readTextFile(trace)).trim().split("\n").sort();
  assert.deepEqual(traced, ["change", "look", "look", "script", "set"]);

  // A dry run describes the calls of tools that ask before they act, but lets ask_user ask a person.
  await put(
    place,
    "agents/_config/tools/sly.ts",
    `export default { description: "x", effect: "read", parameters: { properties: {}, required: [] },
       run: async (_: unknown, { confirm }: { confirm(text: string): Promise<boolean> }) =>
         String(await confirm("Really?")) };`,
  );
  await place.writeScript("asker", [{ call: [call("sly")] }, ASK, { say: "Ok." }], "tools: [sly]");
  const asker = await runToEnd(runtime, "asker", DRY);
  assert.equal(asker.status, "waiting");
  assert.equal((await runtime.pendingRequest(asker.id)).toolName, "ask_user");
  assert.deepEqual((await wouldDo(runtime, asker.id)).map(({ summary }) => summary), [
    "call sly {}",
  ]);
});

Deno.test("a dry run obeys limits and redaction like a run, but asks and blocks nobody", async () => {
  await using place = await createTestWorkspace({ shell: { SHOP_TOKEN: "tok-1234567890" } });
  await put(place, "a.md", "secret plans\n");
  await place.writeScript("careful", [
    {
      call: [
        call("file_write", { path: "a.md", content: "x" }),
        call("file_read", { path: "a.md" }),
        delegate("helper"),
      ],
    },
    { say: "{result}" },
  ], "confirm: [file_write, file_read, run_agent]\nagents: [helper]");
  await place.writeScript("helper", [{ say: "Hm." }]);
  await using runtime = await place.open();
  const { id, status } = await runToEnd(runtime, "careful", DRY);
  assert.equal(status, "success");
  assert.deepEqual((await wouldDo(runtime, id)).map(({ summary }) => summary), [
    "write a.md (+1 -1)",
    'call file_read {"path":"a.md","with_line_numbers":true}',
    'call run_agent {"agent_id":"helper"}',
  ]);
  assert.deepEqual(await runtime.listRuns("helper", { limit: 9, offset: 0 }), []);
  const types = (await payloadsOf(runtime, id)).map((one) => one["event_type"]);
  assert.equal(types.includes("interrupt"), false);

  await put(place, "big.md", "x".repeat(1_100_000));
  await place.writeScript(
    "odd",
    doing(
      call("file_delete", { path: "none.md" }),
      call("file_write", { path: "../out.md", content: "x" }),
      call("file_edit", { path: "big.md", old_text: "no such text", new_text: "" }),
      call("file_write", { path: "big.md", content: "small" }),
      call("file_write", { path: "big.md" }),
    ),
  );
  const { id: odd } = await runToEnd(runtime, "odd", DRY);
  const results = await resultsOf(runtime, odd);
  assert.deepEqual(results.map(({ is_error }) => is_error), [true, true, false, false, true]);
  assert.match(String(results[0]?.["content"]), /^Error: .*none\.md/);
  const described = await wouldDo(runtime, odd);
  assert.equal(described[1]?.summary, 'call file_write {"path":"big.md","content":"small"}');
  assert.match(String(described[1]?.preview?.["problem"]), /over 1 MB/);
  assert.equal((await Deno.stat(join(place.workspace, "big.md"))).size, 1_100_000);

  await place.writeScript("asker", [ASK, { say: "Done." }]);
  assert.equal((await runToEnd(runtime, "asker", DRY)).status, "waiting");
  assert.equal((await runToEnd(runtime, "asker")).status, "waiting");
  assert.equal((await runToEnd(runtime, "asker", DRY)).status, "waiting");
  await assert.rejects(runtime.run("asker", {}), /waiting for a response/);

  await place.writeScript(
    "busy",
    doing(...[1, 2, 3].map((n) => call("file_write", { path: `${n}.txt`, content: "x" }))),
    "settings: { max_tool_calls: 2 }",
  );
  const idempotencyKey = "k";
  const { id: busy, status: ended, error: reason } = await runToEnd(runtime, "busy", {
    ...DRY,
    idempotencyKey,
  });
  assert.deepEqual([ended, reason], ["aborted", "Aborted: max_tool_calls (3 calls, limit 2)"]);
  assert.equal((await runtime.run("busy", { ...DRY, idempotencyKey })).id, busy);
  await assert.rejects(runtime.run("busy", { idempotencyKey }), { name: "IdempotencyKeyReused" });

  await put(place, "conf.txt", "token tok-1234567890\n");
  const body = `tok-1234567890 ${"long ".repeat(200)}`;
  await place.writeScript(
    "shop",
    doing(
      call("file_write", { path: "conf.txt", content: "token tok-1234567890\nmore\n" }),
      call("http_request", { method: "POST", url: "https://shop.example/", body }),
    ),
  );
  const { id: shop } = await runToEnd(runtime, "shop", DRY);
  const redacted = await wouldDo(runtime, shop);
  const text = JSON.stringify(redacted);
  assert.equal(text.includes("tok-1234567890"), false);
  assert.match(text, /\[redacted:SHOP_TOKEN\]/);
  assert.ok((redacted[1]?.summary.length ?? Infinity) < 350);
  assert.match(redacted[1]?.summary ?? "", /…$/);
});

Deno.test("a dry run stays dry across a restart, and lists the calls of its descendants", async () => {
  await using place = await createTestWorkspace();
  const writing = (path: string) => call("file_write", { path, content: "x\n" });
  const free = 'auto_approve: "*"';
  await place.writeScript("top", [
    ASK,
    { call: [delegate("middle")] },
    { call: [writing("top.txt")] },
    { say: "Done." },
  ], `agents: [middle]\n${free}`);
  const steps = [{ call: [delegate("bottom")] }, { say: "Done." }];
  await place.writeScript("middle", steps, "agents: [bottom]");
  await place.writeScript("bottom", [{ call: [writing("deep.txt")] }, { say: "Done." }], free);
  let id: number;
  {
    await using runtime = await place.open();
    const waiting = await runToEnd(runtime, "top", DRY);
    assert.deepEqual([waiting.status, waiting.isDryRun], ["waiting", true]);
    id = waiting.id;
  }
  await using runtime = await place.open();
  const { status, isDryRun } = await answerToEnd(runtime, id, { text: "This" });
  assert.deepEqual([status, isDryRun], ["success", true]);
  const [middle] = await runtime.listRuns("middle", { limit: 1, offset: 0 });
  const [bottom] = await runtime.listRuns("bottom", { limit: 1, offset: 0 });
  assert.deepEqual([middle?.isDryRun, bottom?.isDryRun], [true, true]);
  const list = await wouldDo(runtime, id);
  assert.deepEqual(list.map((one) => [one.agent_id, one.execution_id, one.summary]), [
    ["bottom", bottom?.id, "write deep.txt (new file, +1)"],
    ["top", id, "write top.txt (new file, +1)"],
  ]);
  const files = Object.keys(await listFiles(place.workspace));
  assert.deepEqual(files.filter((file) => file.endsWith(".txt")), []);
});

Deno.test("a dry run is in no history and starts no agent", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("daily", [{ say: "Noted." }]);
  await using runtime = await place.open();
  const first = await runToEnd(runtime, "daily", { message: '```demo\n[{"say":"real one"}]\n```' });
  const message = '```demo\n[{"say":"dry one"}]\n```';
  const dry = await runToEnd(runtime, "daily", { ...DRY, message });
  assert.deepEqual([first.outputData, dry.outputData], ["real one", "dry one"]);
  assert.match((await seededOf(place, dry.id)).join("\n"), /real one/);
  for (const request of [{}, DRY]) {
    const { id } = await runToEnd(runtime, "daily", request);
    const seed = (await seededOf(place, id)).join("\n");
    assert.match(seed, /real one|Noted/);
    assert.doesNotMatch(seed, /dry one/);
  }
  // A purge keeps the newest conversation of a real run, although a dry run's is newer.
  await runtime.purgeCheckpoints({ force: false });
  const { id } = await runToEnd(runtime, "daily");
  assert.match((await seededOf(place, id)).join("\n"), /Noted/);
  // A dry run of a chat turn is not in the session's history either.
  const session = { sessionId: "s" };
  await runToEnd(runtime, "daily", {
    ...session,
    ...DRY,
    message: '```demo\n[{"say":"dry"}]\n```',
  });
  assert.deepEqual(await seededOf(place, (await runToEnd(runtime, "daily", session)).id), []);

  await place.writeScript("collect", [{ say: "Four letters." }]);
  await place.writeScript("report", [{ say: "Read." }], "after: collect");
  await runtime.reloadAgents();
  await runToEnd(runtime, "collect", DRY);
  const { id: collected } = await runToEnd(runtime, "collect");
  const runsOf = () => runtime.listRuns("report", { limit: 9, offset: 0 });
  // The ends of runs start other agents in order, so an agent started by the dry run would have started first.
  await until(async () => (await runsOf()).length > 0, "the run that follows");
  assert.deepEqual((await runsOf()).map(({ afterExecutionId }) => afterExecutionId), [collected]);
});
