// Tests whole runs of agents with MCP servers: the model's results, the questions to a person, and runs without their
// server.
import assert from "node:assert/strict";
import { TestClock } from "../../../support/test_clock.ts";
import { until } from "../../../support/until.ts";
import { payloadsOf, runToEnd, toEnd } from "../../../support/test_workspace.ts";
import { FixtureHttpServer } from "./http_server.ts";
import { call, createPlace, entryOf, resultsOf } from "./mcp_place.ts";
import { isRunning, programEntry } from "./mcp_world.ts";

Deno.test("programs in mcp-servers.json work in runs of agents", async (t) => {
  const token = "literal-token-in-the-file";
  const quoted = JSON.stringify(`\nforged INFO token=${token}`);
  const fixture = programEntry("plain", { NOTION_TOKEN: token, MODE: "production" });
  const args = ["-c", `printf ${quoted} >&2; exit 9`, "x", "--token", token];
  await using place = await createPlace({ fixture, broken: { command: "sh", args } });
  await place.writeScript("caller", [
    { call: [call("echo", { text: "hello" }), call("fail"), call("echo", {})] },
    { call: [call("pid")] },
    { say: "{result}" },
  ], "mcp: [fixture]\nconfirm: [pid]");
  await place.writeScript("teller", [
    { call: [call("environment")] },
    { call: [call("echo", { text: `${token} in production` })] },
    { say: "{result}" },
  ], "mcp: [fixture]");
  await place.writeScript("needs", [{ say: "never" }], "mcp: [broken]");
  const runtime = await place.open();
  let told = 0;
  let pid = 0;
  try {
    await t.step(
      "a run calls an MCP server's tools after an approval for guarded ones",
      async () => {
        const waiting = await runToEnd(runtime, "caller");
        assert.equal(waiting.status, "waiting");
        const request = await runtime.pendingRequest(waiting.id);
        assert.equal(request.toolName, "pid");
        const [echoed, failed, misfit] = await resultsOf(runtime, waiting.id);
        assert.deepEqual([echoed, failed], ["hello", "Error: the disk is full"]);
        const expected = /^Error: The arguments do not fit echo:\n- "text" is missing/;
        assert.match(String(misfit), expected);
        const answer = { approved: true };
        await runtime.respond(waiting.id, { requestId: request.requestId, answer });
        const ended = await toEnd(runtime, waiting.id);
        assert.equal(ended.status, "success");
        pid = Number(ended.outputData);
        assert.ok(await isRunning(pid));
      },
    );

    await t.step(
      "the start of an MCP server is a logged step of the run",
      async () => {
        const notices = async (id: number) => {
          const frames = await payloadsOf(runtime, id);
          assert.equal(frames[0]?.["event_type"], "execution_info");
          return frames.filter((one) => one["kind"] === "notice").map((one) => one["content"]);
        };
        const text = 'Starts the MCP server "fixture"';
        assert.deepEqual(await notices(1), [text]);
        told = (await runToEnd(runtime, "teller")).id;
        assert.deepEqual(await notices(told), [], "it runs already");
        const found = place.logged.filter(({ message }) => message === text);
        assert.deepEqual(found.map(({ fields }) => fields), [{ execution: 1, agent: "caller" }]);
      },
    );

    await t.step("a token of mcp-servers.json is in no result, answer, log or error", async () => {
      const ended = await runtime.getExecution(told);
      assert.equal(ended.outputData, "[redacted:NOTION_TOKEN] in production");
      const results = JSON.stringify(await payloadsOf(runtime, told));
      assert.match(results, /NOTION_TOKEN[\\":]+\[redacted:NOTION_TOKEN\]/);
      const failed = await runToEnd(runtime, "needs");
      assert.match(failed.error ?? "", /forged INFO token=\[redacted:token\]/);
      for (const shown of [ended, results, failed, place.logged]) {
        assert.ok(!JSON.stringify(shown).includes(token));
      }
    });
  } finally {
    await runtime[Symbol.asyncDispose]();
  }
  assert.equal(await isRunning(pid), false, "nothing is left in the end");
  await using again = await place.open();
  assert.ok(!JSON.stringify(await again.getExecution(told)).includes(token), "after a restart");
});

Deno.test("a guard on an MCP tool applies with and without the server's name as prefix", async () => {
  await using server = new FixtureHttpServer();
  await using place = await createPlace({ a: entryOf(server), b: entryOf(server) });
  const agents: [servers: string, guard: string, called: string, freed?: string][] = [
    ["a, b", "pid", "a_pid"],
    ["a, b", "b_pid", "b_pid"],
    ["a", "a_pid", "pid"],
    // The server's names for these tools are invalid for models.
    ["a", "odd.name", "odd_name"],
    ["a", "a_odd.name", "odd_name"],
    ["a, b", "odd.name", "a_odd_name"],
    ["a, b", "b_odd.name", "b_odd_name"],
    // The tool is auto-approved by a name that it no longer has.
    ["a, b", "pid", "a_pid", "pid"],
  ];
  for (const [index, [servers, guard, called, freed = ""]] of agents.entries()) {
    const lines = `mcp: [${servers}]\nconfirm: [${guard}]\nauto_approve: [${freed}]`;
    const steps = [{ call: [call(called)] }, { say: "{result}" }];
    await place.writeScript(`caller${index}`, steps, lines);
  }
  await place.writeScript("wrong", [{ say: "fine" }], "mcp: [a]\nconfirm: [pidd, a_pid, echo]");
  await using runtime = await place.open();
  for (const [index, [, guard, called]] of agents.entries()) {
    const { id, status } = await runToEnd(runtime, `caller${index}`);
    assert.equal(status, "waiting", guard);
    assert.equal((await runtime.pendingRequest(id)).message, `Allow ${called}?`);
  }
  for (let run = 0; run < 2; run++) await runToEnd(runtime, "wrong");
  assert.deepEqual(
    place.logged.filter(({ message }) => message.startsWith("confirm")),
    [{
      level: "warn",
      message: 'confirm names "pidd", but the agent has no such tool (did you mean "pid"?)',
      fields: { agent: "wrong" },
    }],
    "a name that no tool has is warned of, once",
  );
});

Deno.test("warnings about a server are logged once; a disabled server is reported", async () => {
  await using server = new FixtureHttpServer();
  const fine = entryOf(server);
  const off = { ...fine, disabled: true };
  const odd = { ...fine, trust: true };
  await using place = await createPlace({ servers: { odd, off, fine } }, "none");
  await place.writeScript("user", [{ say: "fine" }], "mcp: [fine]");
  await place.writeScript("odd_user", [{ say: "fine" }], "mcp: [odd]");
  await place.writeScript("off_user", [{ say: "never" }], "mcp: [off]");
  await using runtime = await place.open();
  const warnings = () => place.logged.filter(({ level }) => level === "warn");
  assert.equal((await runToEnd(runtime, "user")).status, "success");
  assert.deepEqual(warnings(), []);
  await runToEnd(runtime, "odd_user");
  await runToEnd(runtime, "odd_user");
  const found = warnings().map(({ message }) => message);
  assert.deepEqual(found, ['The MCP server "odd": it has an unknown key "trust"']);
  const { status, error } = await runToEnd(runtime, "off_user");
  assert.equal(status, "error");
  const expected = /"off" cannot be used: its entry disables it \(.*mcp-servers\.json\)/;
  assert.match(error ?? "", expected);
});

Deno.test("a call that hangs at an MCP server fails after 60 s", async () => {
  await using server = new FixtureHttpServer();
  await using place = await createPlace({ fixture: entryOf(server) });
  await place.writeScript("hanger", [
    { call: [call("hang"), call("echo", { text: "beside" })] },
    { call: [call("cancelled")] },
    { say: "{result}" },
  ], "mcp: [fixture]");
  const clock = new TestClock();
  await using runtime = await place.open({ clock });
  const { id } = await runtime.run("hanger", {});
  const isDone = () => place.logged.some(({ message }) => message.includes("hang: 0 hanging"));
  await until(isDone, "the server has begun with the call");
  await until(() => clock.awaits(60_000), "the call is timed");
  await clock.advance(60_000);
  const ended = await toEnd(runtime, id);
  assert.equal(ended.status, "success");
  const errors = (await payloadsOf(runtime, id)).filter((one) => one["is_error"] === true);
  assert.deepEqual(errors.map((one) => one["content"]), ["Error: hang took longer than 60 s"]);
  assert.equal(ended.outputData, "1");
});

Deno.test("each tool not marked as read-only asks first if mcp_confirm is writes", async () => {
  await using server = new FixtureHttpServer();
  await using place = await createPlace({ fixture: entryOf(server) }, "writes");
  const steps = [{ call: [call("echo", { text: "hello" }), call("pid")] }, { say: "{result}" }];
  await place.writeScript("asking", steps, "mcp: [fixture]");
  await place.writeScript("freed", steps, "mcp: [fixture]\nauto_approve: [fixture/pid]");
  const lines = "mcp: [fixture]\nauto_approve: [fixture/p*, fixture/pit, ecco]";
  await place.writeScript("loose", steps, lines);
  await using runtime = await place.open();
  const waiting = await runToEnd(runtime, "asking");
  assert.equal(waiting.status, "waiting");
  assert.equal((await runtime.pendingRequest(waiting.id)).toolName, "pid");
  assert.deepEqual(await resultsOf(runtime, waiting.id), ["hello"]);
  assert.equal((await runToEnd(runtime, "freed")).status, "success");
  assert.equal((await runToEnd(runtime, "loose")).status, "success");
  const warnings = place.logged.filter(({ level }) => level === "warn")
    .map(({ message }) => message);
  assert.deepEqual(warnings, [
    'auto_approve names "fixture/pit", but the agent has no such tool (did you mean "fixture/pid"?)',
    'auto_approve names "ecco", but the agent has no such tool (did you mean "echo"?)',
  ]);
});

Deno.test("a workspace without mcp_confirm never asks, and gets a single warning", async () => {
  await using server = new FixtureHttpServer();
  await using place = await createPlace({ fixture: entryOf(server) });
  await place.writeScript("old", [{ call: [call("pid")] }, { say: "done" }], "mcp: [fixture]");
  for (let start = 0; start < 2; start++) {
    await using runtime = await place.open();
    for (let run = 0; run < 2; run++) {
      assert.equal((await runToEnd(runtime, "old")).status, "success");
    }
  }
  const told = place.logged.filter(({ message }) => message.includes("mcp_confirm"));
  assert.equal(told.length, 1);
  assert.match(told[0]?.message ?? "", /^Tools of MCP servers change things without asking/);
});

Deno.test("auto_approve of a server's entry frees its tools, and all others ask", async () => {
  await using server = new FixtureHttpServer();
  for (const mcpConfirm of ["none", "all"]) {
    const entry = { ...entryOf(server), auto_approve: ["pid", "slow_*"] };
    await using place = await createPlace({ fixture: entry }, mcpConfirm);
    const steps = (name: string, args = {}) => [{ call: [call(name, args)] }, { say: "done" }];
    await place.writeScript("freed", steps("pid"), "mcp: [fixture]");
    await place.writeScript("reader", steps("echo", { text: "x" }), "mcp: [fixture]");
    const own = "mcp: [fixture]\nauto_approve: [fixture/echo]\nconfirm: [pid]";
    await place.writeScript("own_freed", steps("echo", { text: "x" }), own);
    await place.writeScript("own_guard", steps("pid"), own);
    await using runtime = await place.open();
    const statuses = [];
    for (const name of ["freed", "reader", "own_freed", "own_guard"]) {
      statuses.push((await runToEnd(runtime, name)).status);
    }
    const freed = mcpConfirm === "all" ? "waiting" : "success";
    assert.deepEqual(statuses, [freed, "waiting", "success", "waiting"], mcpConfirm);
  }
});
