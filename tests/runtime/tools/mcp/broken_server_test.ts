// Tests unavailable MCP servers: their agents get the reason, and other agents are not affected.
import assert from "node:assert/strict";
import { join } from "node:path";
import { ToolFailure } from "../../../../runtime/tools/failures/tool_failure.ts";
import { ToolsUnavailable } from "../../../../runtime/tools/failures/tools_unavailable.ts";
import { settle, TestClock } from "../../../support/test_clock.ts";
import { until, untilGone } from "../../../support/until.ts";
import { SHELL_SERVER } from "../../sandbox/shell_server.ts";
import { failureOf, refusalOf } from "../files/sandbox_fixture.ts";
import { isRunning, openMcpWorld, testMcp as test } from "./mcp_world.ts";

const shell = (script: string, env: Record<string, string> = {}) => ({
  command: "sh",
  args: ["-c", script],
  env,
});

test("McpServers.openTools() reports redacted output and missing variables of a server that exits", async (world) => {
  world.variables.set("SERVICE_TOKEN", "token-0123456789");
  world.variables.set("MY_REGION", "north");
  const script = 'i=0; while [ $i -lt 30 ]; do echo "line $i" >&2; i=$((i+1)); done; ' +
    'printf "\\033[31mbad key %s %s\\007\\n" "$API_KEY" "$1" >&2; echo "set MY_REGION, X_TOKEN" >&2; exit 3';
  await world.define({
    dies: {
      ...shell(script, { API_KEY: "literal-key-in-file" }),
      args: ["-c", script, "x", "${SERVICE_TOKEN}"],
    },
  });
  const message = await refusalOf(world.tools(["dies"]));
  const lines = message.split("\n");
  assert.equal(lines[0], 'The MCP server "dies" cannot be used: it ended with exit code 3');
  assert.equal(lines[1], "The end of its error output:");
  assert.equal(lines.length, 13);
  assert.equal(lines.at(-4), "line 29");
  assert.equal(lines.at(-3), "bad key [redacted:API_KEY] [redacted:SERVICE_TOKEN]");
  assert.equal(
    lines.at(-1),
    "Variables that it did not get: MY_REGION, X_TOKEN (not set), SERVICE_TOKEN. " +
      "Add the ones that it needs to `env` in its entry.",
  );
});

test("McpServers.openTools() reports no part of a secret in cut output", async (world) => {
  const key = "literal-key-0123456789";
  // For each offset, the cut splits the key at another position.
  const script =
    'i=0; while [ $i -lt 1000 ]; do printf %s "$API_KEY" >&2; i=$((i+1)); done; exit 3';
  await world.define({ dies: shell(script, { API_KEY: key }) });
  assert.doesNotMatch(await refusalOf(world.tools(["dies"])), /literal|0123|6789/);
});

test("McpServers starts a program in its own folder, and reports workspace paths in arguments", async (world) => {
  await Deno.writeTextFile(join(world.workspace, "data.txt"), "no program");
  await Deno.writeTextFile(join(world.workspace, "planted.sh"), "echo planted >&2; exit 9");
  const inWorkspace = (path: string) =>
    `it starts in a folder of its own, not in the workspace: write "${path}" in full, or give cwd`;
  const planted = { command: "sh", args: ["planted.sh"] };
  const cases: [name: string, entry: object, refusal: RegExp, path?: string][] = [
    [
      "nowhere",
      { command: "no-such-command-here" },
      /its command no-such-command-here does not exist/,
    ],
    [
      "folder",
      { command: "sh", cwd: "no/such/folder" },
      /its folder .*no\/such\/folder does not exist/,
    ],
    ["data", { command: "./data.txt", cwd: "." }, /its command \.\/data\.txt may not be executed/],
    ["two/../words", shell("pwd >&2; exit 9"), /\/state\/mcp\/two____words$/],
    ["chosen", { ...planted, cwd: "." }, /it ended with exit code 9\n.*\nplanted$/],
    ["own", planted, /: it ended with exit code \d+; /, "planted.sh"],
    [
      "command",
      { command: "./planted.sh" },
      /its command \.\/planted\.sh does not exist/,
      "./planted.sh",
    ],
  ];
  await world.define(Object.fromEntries(cases));
  for (const [name, , refusal, path] of cases) {
    const message = await refusalOf(world.tools([name]));
    assert.match(message, refusal, name);
    if (path === undefined) continue;
    const [first = ""] = message.split("\n");
    assert.ok(first.endsWith(inWorkspace(path)), message);
    assert.doesNotMatch(message, /planted$/, "it ran what lies in the workspace");
  }
  await Deno.remove(join(world.stateDir, "mcp"), { recursive: true });
  await Deno.writeTextFile(join(world.stateDir, "mcp"), "");
  const message = await refusalOf(world.tools(["nowhere"]));
  assert.match(message, /its folder .*\/state\/mcp\/nowhere cannot be created: /);
});

test("McpServers.openTools() reports all problems of an agent's servers", async (world) => {
  assert.deepEqual(await world.tools([]), new Map());
  assert.match(await refusalOf(world.tools(["good"])), /mcp-servers\.json is missing/);
  const good = shell(SHELL_SERVER, { SCRIPT: "printf %s $SERVER" });
  const dies = shell("exit 1");
  const odd = { command: "sh", cmmand: 1, url: "http://x" };
  await world.define({ good, dies, open: { command: "sh", args: ["${NOT_SET}"] }, odd });
  const problems = await refusalOf(world.tools(["good", "dies", "open", "odd", "godo"]));
  assert.match(problems, /"dies" cannot be used: it ended with exit code 1/);
  assert.match(problems, /"open" cannot be used: \$\{NOT_SET\} is not defined/);
  assert.match(problems, /"odd" cannot be used: it has both a command and a url/);
  assert.match(problems, /"godo" is not defined in .*mcp-servers\.json \(did you mean "good"\?\)/);
  const tools = await world.tools(["good"]);
  const pid = await world.call(tools.get("look"));
  await world.define('{\n  "good": { "command": "secret-thing" \n');
  const message = await refusalOf(world.tools(["good"]));
  assert.match(
    message,
    /mcp-servers\.json:3:1: The file is not valid JSON: the text ends too early/,
  );
  assert.ok(!message.includes("secret-thing"));
  assert.equal(await world.call(tools.get("look")), pid);
  await world.define({ good });
  assert.equal(await world.call((await world.tools(["good"])).get("look")), pid);
});

Deno.test("McpServers reports a server's error in the handshake at once", async () => {
  const clock = new TestClock();
  await using world = await openMcpWorld({ clock });
  const starts = join(world.workspace, "starts");
  const answer = (code: number) =>
    `echo x >> "${starts}"; read -r line; ` +
    `echo '{"jsonrpc":"2.0","id":0,"error":{"code":${code},"message":"no license for you"}}'`;
  // The server hangs after its restart, so that a request would wait for its answer.
  const deaf = `while [ -e "${starts}" ]; do read -r line || exit; done; `;
  await world.define({ refuses: shell(answer(-32603)), unknown: shell(deaf + answer(-32601)) });
  const reason = "cannot be used: no license for you";
  assert.equal(await refusalOf(world.tools(["refuses"])), `The MCP server "refuses" ${reason}`);
  assert.equal(await Deno.readTextFile(starts), "x\n");
  await Deno.remove(starts);
  // A server that does not know the older handshake may know the newer one, so the newer one is tried briefly.
  const refusal = refusalOf(world.tools(["unknown"]));
  await until(() => clock.awaits(5_000), "the newer greeting is timed");
  await clock.advance(5_000);
  assert.equal(await refusal, `The MCP server "unknown" ${reason}`);
});

Deno.test("McpServers ends a server that does not answer within 30 s", async () => {
  const clock = new TestClock();
  await using world = await openMcpWorld({ clock });
  const file = join(world.workspace, "pid");
  const mute = shell(`echo $$ > "${file}"; echo "downloading" >&2; exec sleep 600`);
  await world.define({ mute });
  const refusal = refusalOf(world.tools(["mute"]));
  await until(() => clock.awaits(30_000), "the greeting is timed");
  await until(async () => (await Deno.readTextFile(file).catch(() => "")) !== "", "it runs");
  const pid = Number(await Deno.readTextFile(file));
  await clock.advance(30_000);
  await until(() => clock.awaits(1_000), "its input has ended");
  await clock.advance(1_000);
  assert.equal(
    await refusal,
    'The MCP server "mute" cannot be used: it did not answer within 30 s\n' +
      "The end of its error output:\ndownloading",
  );
  assert.equal(await isRunning(pid), false);
});

Deno.test("McpServers kills a program that ignores SIGTERM, and its children", async () => {
  const clock = new TestClock();
  await using world = await openMcpWorld({ clock });
  const file = join(world.workspace, "pids");
  const script = `trap "" TERM; sh -c 'trap "" TERM; while :; do sleep 1; done' & ` +
    `echo "$$ $!" > "${file}"; while :; do sleep 1; done`;
  await world.define({ stubborn: shell(script) });
  const refusal = refusalOf(world.tools(["stubborn"]));
  const written = () => Deno.readTextFile(file).catch(() => "");
  await until(async () => (await written()).endsWith("\n"), "it runs");
  const pids = (await written()).split(" ").map(Number);
  assert.equal(pids.length, 2);
  await clock.advance(30_000);
  await until(() => clock.awaits(1_000), "its input has ended");
  await clock.advance(1_000);
  await until(() => clock.awaits(2_000), "it was asked to end");
  for (const pid of pids) assert.ok(await isRunning(pid));
  await clock.advance(2_000);
  await refusal;
  for (const pid of pids) await untilGone(pid);
});

Deno.test("McpServers restarts a server that keeps crashing with growing delays", async () => {
  const clock = new TestClock();
  await using world = await openMcpWorld({ clock });
  const file = join(world.workspace, "starts");
  await world.define({ dies: shell(`echo x >> "${file}"; echo gone >&2; exit 1`) });
  const starts = async () => (await Deno.readTextFile(file)).trim().split("\n").length;
  await refusalOf(world.tools(["dies"]));
  await refusalOf(world.tools(["dies"]));
  assert.equal(await starts(), 2);
  for (const [wait, expected] of [[1_000, 3], [2_000, 4], [4_000, 5]] as const) {
    const many = Promise.all([1, 2, 3].map(() => refusalOf(world.tools(["dies"]))));
    await until(() => clock.awaits(wait), `the next start waits ${wait} ms`);
    assert.equal(await starts(), expected - 1);
    await clock.advance(wait);
    await many;
    assert.equal(await starts(), expected);
  }
  // The next start is delayed by eight seconds. A call does not wait so long, so it fails at once with the last failure.
  const message = await refusalOf(world.tools(["dies"]));
  assert.match(message, /exit code 1\n.*\ngone\nIt is not started again before 8 s\.$/);
  assert.equal(await starts(), 5);
});

test("McpServers disconnects a server that floods its output", async (world) => {
  await world.define({ floods: shell("exec cat /dev/zero") });
  const message = await refusalOf(world.tools(["floods"]));
  assert.match(message, /"floods" cannot be used: a line of its output is over 16 MB/);
});

test("McpServers accepts a server that prints other text before its messages", async (world) => {
  const script = `echo 'Welcome!'; echo '{"a":1}'; echo; ${SHELL_SERVER}`;
  await world.define({ noisy: shell(script, { SCRIPT: "echo hello" }) });
  assert.equal(await world.call((await world.tools(["noisy"])).get("look")), "hello;");
});

Deno.test("McpServers replaces a hanging server at the next run", async () => {
  const clock = new TestClock();
  await using world = await openMcpWorld({ clock });
  await world.define({ hangs: shell(SHELL_SERVER, { SCRIPT: "printf %s $SERVER" }) });
  const tools = await world.tools(["hangs"]);
  const pid = Number(await world.call(tools.get("look")));
  Deno.kill(pid, "SIGSTOP");
  const stop = new AbortController();
  const hanging = failureOf(world.call(tools.get("look"), {}, { signal: stop.signal }));
  await settle();
  stop.abort(new ToolFailure("look took longer than 60 s"));
  assert.equal(await hanging, "look took longer than 60 s");
  const next = world.tools(["hangs"]);
  await until(() => clock.awaits(30_000), "its list is asked for");
  await clock.advance(30_000);
  assert.notEqual(await world.call((await next).get("look")), String(pid));
  await until(() => clock.awaits(1_000), "its input has ended");
  await clock.advance(1_000);
  await until(() => clock.awaits(2_000), "it was asked to end");
  await clock.advance(2_000);
  await untilGone(pid);
});

Deno.test("McpServers.openTools() stops on abort; the start continues for other callers", async () => {
  const world = await openMcpWorld({ limits: { closeMs: 20 } });
  const file = join(world.workspace, "pid");
  const stop = new AbortController();
  const reason = new Error("the run was cancelled");
  let outcomes: Promise<unknown>[] = [];
  try {
    await world.define({ mute: shell(`echo $$ > "${file}"; exec sleep 600`) });
    const open = (signal: AbortSignal) =>
      world.servers.openTools({ mcp: ["mute"] }, { taken: [], signal })
        .catch((error: unknown) => error);
    outcomes = [open(stop.signal), open(new AbortController().signal)];
    await until(async () => (await Deno.readTextFile(file).catch(() => "")) !== "", "it runs");
    stop.abort(reason);
    assert.equal(await outcomes[0], reason);
    assert.ok(await isRunning(Number(await Deno.readTextFile(file))));
  } finally {
    const pid = Number(await Deno.readTextFile(file));
    await world[Symbol.asyncDispose]();
    assert.equal(await isRunning(pid), false);
  }
  const refusal = await outcomes[1];
  assert.ok(refusal instanceof ToolsUnavailable && /is being ended/.test(refusal.message));
});
