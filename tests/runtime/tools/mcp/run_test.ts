// Agents that name MCP servers, run as a whole: what the model gets, what a person is asked, how a run ends without its server.
import assert from "node:assert/strict";
import { join } from "node:path";
import { TestClock } from "../../../support/test_clock.ts";
import { until } from "../../../support/until.ts";
import {
  createTestWorkspace,
  payloadsOf,
  runToEnd,
  type TestWorkspace,
  toEnd,
} from "../../../support/test_workspace.ts";
import { isRunning, programEntry } from "./mcp_world.ts";

async function createPlace(servers: Record<string, unknown>): Promise<TestWorkspace> {
  const place = await createTestWorkspace({ shell: { PATH: Deno.env.get("PATH") ?? "" } });
  const folder = join(place.agentsDir, "_config");
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(join(folder, "mcp-servers.json"), JSON.stringify(servers));
  return place;
}

const call = (name: string, args: Record<string, unknown> = {}) => ({ name, arguments: args });

Deno.test("a run calls the tools of an MCP server; a guarded one asks first; nothing is left in the end", async () => {
  await using place = await createPlace({ fixture: programEntry() });
  await place.writeScript("caller", [
    { call: [call("echo", { text: "hello" }), call("fail"), call("echo", {})] },
    { call: [call("pid")] },
    { say: "{result}" },
  ], "mcp: [fixture]\nconfirm: [pid]");
  const runtime = await place.open();
  let pid: number;
  try {
    const waiting = await runToEnd(runtime, "caller");
    assert.equal(waiting.status, "waiting");
    const request = await runtime.pendingRequest(waiting.id);
    assert.equal(request.toolName, "pid");
    const results = (await payloadsOf(runtime, waiting.id))
      .filter((one) => one["event_type"] === "tool_result")
      .map((one) => [one["is_error"], one["content"]]);
    assert.deepEqual(results.slice(0, 2), [[false, "hello"], [true, "Error: the disk is full"]]);
    assert.match(
      String(results[2]?.[1]),
      /^Error: The arguments do not fit echo:\n- "text" is missing/,
    );
    const answer = { approved: true };
    await runtime.respond(waiting.id, { requestId: request.requestId, answer });
    const ended = await toEnd(runtime, waiting.id);
    assert.equal(ended.status, "success");
    pid = Number(ended.outputData);
    assert.ok(await isRunning(pid));
  } finally {
    await runtime[Symbol.asyncDispose]();
  }
  assert.equal(await isRunning(pid), false);
});

Deno.test("a guard on an MCP tool holds when another server offers the name, too, and when none does any more", async () => {
  await using place = await createPlace({ a: programEntry(), b: programEntry() });
  const agents: [servers: string, guard: string, called: string, freed?: string][] = [
    ["a, b", "pid", "a_pid"],
    ["a, b", "b_pid", "b_pid"],
    ["a", "a_pid", "pid"],
    // What the servers call it is no name that a tool can have.
    ["a", "odd.name", "odd_name"],
    ["a", "a_odd.name", "odd_name"],
    ["a, b", "odd.name", "a_odd_name"],
    ["a, b", "b_odd.name", "b_odd_name"],
    // Freed under a name that it has no more.
    ["a, b", "pid", "a_pid", "pid"],
  ];
  for (const [index, [servers, guard, called, freed = ""]] of agents.entries()) {
    await place.writeScript(
      `caller${index}`,
      [{ call: [call(called)] }, { say: "{result}" }],
      `mcp: [${servers}]\nconfirm: [${guard}]\nauto_approve: [${freed}]`,
    );
  }
  await using runtime = await place.open();
  for (const [index, [, guard, called]] of agents.entries()) {
    const { id, status } = await runToEnd(runtime, `caller${index}`);
    assert.equal(status, "waiting", guard);
    assert.equal((await runtime.pendingRequest(id)).message, `Allow ${called}?`);
  }
});

Deno.test("a name in confirm that no tool of a run has is warned of, once", async () => {
  await using place = await createPlace({ a: programEntry() });
  await place.writeScript("caller", [{ say: "fine" }], "mcp: [a]\nconfirm: [pidd, a_pid, echo]");
  await using runtime = await place.open();
  await runToEnd(runtime, "caller");
  await runToEnd(runtime, "caller");
  assert.deepEqual(
    place.logged.filter(({ message }) => message.startsWith("confirm")),
    [{
      level: "warn",
      message: 'confirm names "pidd", and the agent has no such tool (did you mean "pid"?)',
      fields: { agent: "caller" },
    }],
  );
});

Deno.test("a token that stands in mcp-servers.json is shown nowhere: in no result, answer, log or error, and not after a restart", async () => {
  const token = "literal-token-in-the-file";
  const quoted = JSON.stringify(`\nforged INFO token=${token}`);
  await using place = await createPlace({
    fixture: programEntry("plain", { NOTION_TOKEN: token, MODE: "production" }),
    broken: { command: "sh", args: ["-c", `printf ${quoted} >&2; exit 9`, "x", "--token", token] },
  });
  await place.writeScript("caller", [
    { call: [call("environment")] },
    { call: [call("echo", { text: `${token} in production` })] },
    { say: "{result}" },
  ], "mcp: [fixture]");
  await place.writeScript("needs", [{ say: "never" }], "mcp: [broken]");
  let id: number;
  {
    await using runtime = await place.open();
    const ended = await runToEnd(runtime, "caller");
    id = ended.id;
    assert.equal(ended.outputData, "[redacted:NOTION_TOKEN] in production");
    const results = JSON.stringify(await payloadsOf(runtime, id));
    assert.match(results, /NOTION_TOKEN[\\":]+\[redacted:NOTION_TOKEN\]/);
    const failed = await runToEnd(runtime, "needs");
    assert.match(failed.error ?? "", /forged INFO token=\[redacted:token\]/);
    for (const shown of [ended, results, failed, place.logged]) {
      assert.ok(!JSON.stringify(shown).includes(token));
    }
  }
  await using again = await place.open();
  assert.ok(!JSON.stringify(await again.getExecution(id)).includes(token));
});

Deno.test("a warning of a server is logged for who names it, once; a disabled server says so", async () => {
  await using place = await createPlace({
    servers: {
      odd: { ...programEntry(), trust: true },
      off: { ...programEntry(), disabled: true },
      fine: programEntry(),
    },
  });
  await place.writeScript("user", [{ say: "fine" }], "mcp: [fine]");
  await place.writeScript("odd_user", [{ say: "fine" }], "mcp: [odd]");
  await place.writeScript("off_user", [{ say: "never" }], "mcp: [off]");
  await using runtime = await place.open();
  const warnings = () => place.logged.filter(({ level }) => level === "warn");
  assert.equal((await runToEnd(runtime, "user")).status, "success");
  assert.deepEqual(warnings(), []);
  await runToEnd(runtime, "odd_user");
  await runToEnd(runtime, "odd_user");
  assert.deepEqual(
    warnings().map(({ message }) => message),
    ['The MCP server "odd": it has an unknown key "trust"'],
  );
  const { status, error } = await runToEnd(runtime, "off_user");
  assert.equal(status, "error");
  assert.match(
    error ?? "",
    /"off" cannot be used: it is disabled by its entry \(.*mcp-servers\.json\)/,
  );
});

Deno.test("a run whose MCP server cannot be had ends with the reason; others run", async () => {
  await using place = await createPlace({
    broken: { command: "sh", args: ["-c", "echo no license >&2; exit 9"] },
  });
  await place.writeScript("needs", [{ say: "never" }], "mcp: [broken]");
  await place.writeScript("other", [{ say: "fine" }]);
  await using runtime = await place.open();
  const ended = await runToEnd(runtime, "needs");
  assert.deepEqual([ended.status, ended.error], [
    "error",
    'The MCP server "broken" cannot be used: it ended with exit code 9\n' +
    "The end of its error output:\nno license",
  ]);
  assert.equal((await runToEnd(runtime, "other")).outputData, "fine");
});

Deno.test("a call that hangs at an MCP server is a failed call after 60 s", async () => {
  await using place = await createPlace({ fixture: programEntry() });
  await place.writeScript("hanger", [
    { call: [call("hang"), call("echo", { text: "beside" })] },
    { call: [call("cancelled")] },
    { say: "{result}" },
  ], "mcp: [fixture]");
  const clock = new TestClock();
  await using runtime = await place.open({ clock });
  const { id } = await runtime.run("hanger", {});
  await until(
    () => place.logged.some(({ message }) => message.includes("hang: 0 hanging")),
    "the server has begun with the call",
  );
  await until(() => clock.awaits(60_000), "the call is timed");
  await clock.advance(60_000);
  const ended = await toEnd(runtime, id);
  assert.equal(ended.status, "success");
  const errors = (await payloadsOf(runtime, id)).filter((one) => one["is_error"] === true);
  assert.deepEqual(errors.map((one) => one["content"]), ["Error: hang took longer than 60 s"]);
  assert.equal(ended.outputData, "1");
});
