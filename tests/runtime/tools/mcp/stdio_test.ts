// Tests MCP servers that are programs, with a real server in a process.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { until, untilGone } from "../../../support/until.ts";
import { SHELL_SERVER } from "../../sandbox/shell_server.ts";
import { failureOf } from "../files/sandbox_fixture.ts";
import { isRunning, programEntry, testMcp as test } from "./mcp_world.ts";

test("McpServers opens and calls the tools of a program", async (world, t) => {
  world.variables.set("GIVEN", "from the environment");
  world.variables.set("NODE_EXTRA_CA_CERTS", "/etc/ca.pem");
  await world.define({ fixture: programEntry("plain", { MINE: "x ${GIVEN}" }) });
  const tools = await world.tools(["fixture"]);

  await t.step("the tools have the names and schemas that models get", async () => {
    const echo = tools.get("echo");
    assert.equal(echo?.description, 'The server "fixture" says: Gives back what it gets');
    assert.deepEqual(echo?.parameters["required"], ["text"]);
    assert.equal(echo?.parameters["$schema"], undefined);
    assert.equal(await world.call(echo, { text: "hello\nworld" }), "hello\nworld");
    assert.equal(await world.call(tools.get("add"), { a: 1, b: 2 }), '{"sum":3}');
    assert.equal(await world.call(tools.get("odd_name")), "odd");
    assert.equal(echo?.timeoutMs, 600_000);
    const found = ["echo", "slow_echo", "add"].map((name) => tools.get(name)?.effect({}));
    assert.deepEqual(found, ["read", "idempotent", "unsafe"]);
    assert.equal(
      await world.call(tools.get("media")),
      [
        "[image image/png, 12 KB]",
        "[audio audio/wav, 100 bytes]",
        '[resource "b", file:///a/b.txt, text/plain]',
        "[resource note://1]\na note",
        "[resource note://2]\na,b",
        "[resource bin://3, image/gif, 3 bytes]",
      ].join("\n"),
    );
  });

  await t.step(
    "an MCP program gets its declared variables but no key of Inkling",
    async () => {
      const env = JSON.parse(await world.call(tools.get("environment"))) as Record<string, string>;
      assert.equal(env["MINE"], "x from the environment");
      for (const name of ["HOME", "NODE_EXTRA_CA_CERTS"]) {
        assert.equal(env[name], world.variables.get(name));
      }
      assert.deepEqual(Object.keys(env).filter((name) => /KEY|TOKEN|GIVEN/.test(name)), []);
    },
  );

  await t.step(
    "an MCP program's progress messages are logged as plain text, up to a limit",
    async () => {
      const told: string[] = [];
      const log = (line: string) => void told.push(line);
      const answer = await world.call(tools.get("talk"), {}, { log });
      assert.deepEqual([answer, told.length, told[0]], ["done", 10, "1/100 on it"]);
      const lines = world.log.lines.filter(({ level }) => level === "debug")
        .map((one) => one.message);
      assert.deepEqual([lines.length, lines[0]], [60, "An MCP server says: info: line 1"]);
      assert.match(lines.at(-1) ?? "", /further lines of this minute are dropped/);
    },
  );

  await t.step("concurrent calls get their own answers, even beside a hanging call", async () => {
    const stop = new AbortController();
    const hanging = world.call(tools.get("hang"), {}, { signal: stop.signal })
      .catch((error: unknown) => error);
    const texts = Array.from({ length: 40 }, (_, i) => `answer ${i}`);
    const answers = texts.map((text, i) =>
      world.call(tools.get("slow_echo"), { text, ms: (i * 7) % 50 })
    );
    assert.deepEqual(await Promise.all(answers), texts);
    const reason = new Error("hang took longer than 60 s");
    stop.abort(reason);
    assert.equal(await hanging, reason);
    const isDone = async () => await world.call(tools.get("cancelled")) === "1";
    await until(isDone, "the server hears that the call was cancelled");
  });

  await t.step(
    "the next run sees a changed list of tools",
    async () => {
      assert.equal(await world.call(tools.get("sooner")), "still here");
      await world.call(tools.get("change"));
      await until(async () => (await world.tools(["fixture"])).has("later"), "the list changes");
      const next = await world.tools(["fixture"]);
      assert.equal(await world.call(next.get("later")), "here I am");
      assert.ok(!next.has("sooner"));
      const message = await failureOf(world.call(tools.get("sooner")));
      assert.match(message, /does not offer this tool any more/);
    },
  );

  await t.step("ending a server leaves no process of it", async () => {
    const pids = [
      Number(await world.call(tools.get("pid"))),
      Number(await world.call(tools.get("spawn"))),
    ];
    for (const pid of pids) assert.ok(await isRunning(pid));
    await world.servers[Symbol.asyncDispose]();
    for (const pid of pids) assert.equal(await isRunning(pid), false);
    await assert.rejects(world.tools(["fixture"]), /is being ended/);
  });
});

test("McpServers uses the newer protocol for a program that supports no other protocol", async (world) => {
  await world.define({ fixture: programEntry("modern") });
  const tools = await world.tools(["fixture"]);
  assert.equal(await world.call(tools.get("echo"), { text: "new" }), "new");
  await world.call(tools.get("change"));
  await until(async () => (await world.tools(["fixture"])).has("later"), "the list changes");
});

test("McpServers fails the current call if a server crashes, and starts one new server", async (world) => {
  const starts = join(world.workspace, "starts");
  await world.define({ fixture: programEntry("plain", { START_LOG: starts }) });
  const tools = await world.tools(["fixture"]);
  const pid = await world.call(tools.get("pid"));
  const child = Number(await world.call(tools.get("spawn")));
  const bystander = failureOf(world.call(tools.get("hang")));
  const message = await failureOf(world.call(tools.get("crash")));
  assert.ok(message.startsWith(
    'The MCP server "fixture" failed during the call: it ended with exit code 7. ' +
      "Whether the call took effect is unknown.\nThe end of its error output:\n",
  ));
  assert.ok(message.endsWith("\nabout to crash"), message);
  assert.match(await bystander, /exit code 7/);
  const calls = Array.from({ length: 20 }, () => world.call(tools.get("pid")));
  const pids = new Set(await Promise.all(calls));
  assert.equal(pids.size, 1);
  assert.ok(!pids.has(pid));
  assert.equal((await Deno.readTextFile(starts)).trim().split("\n").length, 2);
  assert.ok(
    world.log.lines.some(({ level, message }) => level === "warn" && /code 7/.test(message)),
  );
  await untilGone(child);
});

/** Returns the entry of a server whose tool `look` runs the script `first` and returns the server's process id. */
const shellEntry = (first = ":") => ({
  ...{ command: "sh", args: ["-c", SHELL_SERVER], sandbox: false },
  env: { SCRIPT: `${first}; printf %s $SERVER` },
});

test("McpServers prefixes equal tool names, and opens a new session for a changed entry", async (world) => {
  const begun = join(world.workspace, "begun");
  await world.define({ a: shellEntry(), "b 2": shellEntry(`: > '${begun}'; sleep 0.3`) });
  const before = await world.tools(["a", "b 2"]);
  assert.deepEqual([...before.keys()], ["a_look", "b_2_look"]);
  const alone = await world.tools(["a"], ["read"]);
  assert.deepEqual([...alone.keys()], ["look"]);
  assert.deepEqual([...(await world.tools(["a"], ["look"])).keys()], ["a_look"]);
  const one = await world.call(before.get("a_look"));
  const running = world.call(before.get("b_2_look"));
  await until(() => existsSync(begun), "the call runs");
  await world.define({ a: shellEntry(), "b 2": shellEntry() });
  const after = await world.tools(["a", "b 2"]);
  assert.equal(await world.call(after.get("a_look")), one);
  const changed = await world.call(before.get("b_2_look"));
  const replaced = await running;
  assert.notEqual(changed, replaced);
  await untilGone(Number(replaced));
  // A call that begins while the entry changes goes to one of the two servers.
  const meanwhile = world.call(before.get("b_2_look"));
  await world.define({ a: shellEntry(), "b 2": shellEntry("true") });
  await world.tools(["b 2"]);
  assert.match(await meanwhile, /^\d+$/);
  world.variables.set("HOME", world.workspace);
  assert.notEqual(await world.call((await world.tools(["a"])).get("look")), one);
  await world.define({ a: shellEntry() });
  await world.tools(["a"]);
  assert.match(await failureOf(world.call(before.get("b_2_look"))), /"b 2" is not defined/);
});
