import assert from "node:assert/strict";
import { join } from "node:path";
import { SystemClock } from "../../../../base/clock.ts";
import { ProcessSandbox } from "../../../../runtime/sandbox/process_sandbox.ts";
import type { SandboxMode } from "../../../../runtime/sandbox/sandbox_rules.ts";
import { TestClock } from "../../../support/test_clock.ts";
import { until } from "../../../support/until.ts";
import {
  IGNORED_WITHOUT_BRIDGE,
  IGNORED_WITHOUT_SANDBOX,
  noSandbox,
  systemBubblewrap,
} from "../../sandbox/system_sandbox.ts";
import { call, CANARY, failureOf } from "../files/sandbox_fixture.ts";
import { type OpenShellOptions, ShellFixture } from "./shell_fixture.ts";

/** Defines a test that needs the system's sandbox. */
function test(name: string, body: (place: ShellFixture) => Promise<void>): void {
  Deno.test({
    name,
    ignore: IGNORED_WITHOUT_SANDBOX,
    fn: async () => {
      await using place = await ShellFixture.open();
      await body(place);
    },
  });
}

/** Returns the text without the duration. */
const timeless = (text: string) => text.replace(/after [\d.]+m?s\./, "after a while.");

/** A sandbox of a system without bubblewrap. */
const missingSandbox = (mode: SandboxMode) =>
  new ProcessSandbox({
    mode: () => mode,
    home: "/",
    find: () => Promise.resolve({ problem: "it is missing", remedy: "install it" }),
  });

test("shell returns the exit code and both outputs in their order", async (place) => {
  const text = await place.run("echo one; echo two >&2; echo three; pwd");
  assert.equal(
    timeless(text),
    `Exit code 0 after a while.\none\ntwo\nthree\n${place.files.workspace}`,
  );
  assert.equal(
    timeless(await failureOf(place.run("echo no; exit 3"))),
    "Exit code 3 after a while.\nno",
  );
});

test("shell gives a command neither terminal nor input, and tells programs so", async (place) => {
  const text = await place.run(
    "cat; test -t 0 || echo no input; (: < /dev/tty) 2>/dev/null || echo no terminal; echo $TERM",
  );
  assert.match(text, /\nno input\nno terminal\ndumb$/);
});

test("shell runs in a folder of the agent's paths, and refuses other folders", async (place) => {
  await place.files.write("notes/deep/a.txt", "x");
  const text = await place.run({ command: "pwd; ls", folder: "notes/deep" });
  assert.match(text, /\/notes\/deep\na\.txt$/);
  assert.match(
    await failureOf(place.run({ command: "pwd", folder: place.files.outside })),
    /lies outside the allowed paths/,
  );
  assert.match(
    await failureOf(place.run({ command: "pwd", folder: "notes/deep/a.txt" })),
    /it is no folder/,
  );
  const notes = join(place.files.workspace, "notes");
  const paths = [{ alias: "notes", path: notes }];
  assert.match(await place.run("pwd", { paths }), new RegExp(`\n${notes}$`));
});

test("shell sees no closed files, and keeps a home of the agent's own", async (place) => {
  const { base, home, workspace } = place.files;
  const closed = ["home/secret.txt", "outside/secret.txt", "config/config.yaml", "state/inkling.db"]
    .map((name) => join(base, name));
  const files = [...closed, ...["agents/me.md", ".env"].map((name) => join(workspace, name))];
  const text = await place.run(`cat ${files.join(" ")} 2>/dev/null; echo kept > ~/x; echo end`);
  assert.ok(!text.includes(CANARY), text);
  assert.match(text, /end$/);
  assert.match(await place.run("cat ~/x"), /\nkept$/);
  assert.equal(await Deno.readTextFile(join(home, "secret.txt")), CANARY);
});

test("shell passes the variables of shell.env only", async (place) => {
  const lookup = (name: string) => name === "TOKEN" ? "t-123" : undefined;
  const settings = { env: ["TOKEN", "PROVIDER_KEY"] };
  const text = await place.run("echo $TOKEN-$PROVIDER_KEY; env", { lookup, settings });
  assert.match(text, /\nt-123-\n/);
  const names = [...text.matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name).sort();
  assert.deepEqual(names, [
    ...["GIT_PAGER", "GIT_TERMINAL_PROMPT", "HOME", "LANG", "PAGER", "PATH", "PWD", "SHLVL"],
    ...["TERM", "TOKEN", "_"],
  ]);
});

test("shell ends a command at its time limit, with all its processes", async (place) => {
  const command = "(sleep 60; touch late) & echo begun; sleep 60";
  assert.equal(
    await failureOf(place.run({ command, timeout: 0.5 })),
    "The command took longer than 500ms and was ended, with all its processes. " +
      "It had no terminal and no input.\nbegun",
  );
  assert.match(
    await failureOf(place.run({ command: "true", timeout: 121 })),
    /"timeout": .*120/,
  );
});

test("shell ends a command when the run is stopped", async (place) => {
  const stop = new AbortController();
  const running = place.run("touch begun; sleep 60", { context: { signal: stop.signal } });
  await until(
    () => Deno.stat(join(place.files.workspace, "begun")).then(() => true, () => false),
    "the command has begun",
  );
  stop.abort(new Error("stopped"));
  await assert.rejects(running, /stopped/);
});

test("shell shows the beginning and the end of long output", async (place) => {
  const text = await place.run("seq 1 200000");
  assert.ok(text.length <= 30_000, `${text.length}`);
  assert.match(text, /^Exit code 0 after .*\n1\n2\n3\n/);
  assert.match(text, /\n\[… 1,259,0\d\d characters are left out here …\]\n[\d\n]*\n200000$/);
});

test("shell makes output harmless and hides secrets in it", async (place) => {
  const secrets = [{ name: "KEY", value: "sekret-value-123" }];
  const command =
    String.raw`printf 'a\033[31mred\033[0m \377 \033]0;t\007sek\033[1mret-value-123\n'; ` +
    String.raw`printf '10%%\r50%%\r100%%\r\n'; printf sekret-`;
  const text = await place.run(command, { context: { secrets } });
  assert.equal(
    timeless(text),
    "Exit code 0 after a while.\nared \ufffd [redacted:KEY]\n100%\nsekret-",
  );
  const killed = await failureOf(
    place.run({ command: "printf sekret-val; sleep 60", timeout: 0.5 }, { context: { secrets } }),
  );
  assert.ok(!killed.includes("sekret"), killed);
});

test("shell reports new output while the command runs", async (place) => {
  const clock = new TestClock();
  const { tool, context } = await place.openTool({ context: { clock } });
  const reports: string[] = [];
  const report = (text: string) => Promise.resolve(void reports.push(text));
  const command = "echo one; while test ! -e go; do sleep 0.05; done; echo two";
  const running = call(tool ?? assert.fail(), { command }, { ...context, report });
  await until(async () => {
    await clock.advance(1_000);
    return reports.length > 0;
  }, "the output was reported");
  assert.deepEqual(reports, ["one"]);
  await place.files.write("go", "");
  assert.match(await running, /\none\ntwo$/);
});

Deno.test({
  name: "shell reaches the hosts of shell.net only",
  ignore: IGNORED_WITHOUT_BRIDGE,
  fn: async () => {
    await using place = await ShellFixture.open();
    const server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      () => new Response("hello"),
    );
    await using _server = { [Symbol.asyncDispose]: () => server.shutdown() };
    const { port } = server.addr;
    const fetchFrom = (url: string) => `curl -sS --max-time 5 --noproxy '' ${url}`;
    const address = `http://localhost:${port}/`;
    const direct = `${fetchFrom(address)}; curl -sS --max-time 5 --noproxy '*' ${address}`;
    const settings = { net: [`localhost:${port}`] };
    const text = await failureOf(place.run(direct, { settings }));
    assert.match(text, /\nhello/);
    assert.equal(text.split("hello").length, 2, text);
    const other = await place.run(`${fetchFrom("http://other.example/")}; true`, { settings });
    assert.match(other, /\(Not in shell\.net of the agent's file: other\.example\)$/);
    const none = await failureOf(place.run(fetchFrom(address)));
    assert.ok(!none.includes("hello"), none);
  },
});

/** Returns true if a call waits for approval. */
async function asks(
  place: ShellFixture,
  command: string,
  options: OpenShellOptions = {},
): Promise<boolean> {
  const { tool } = await place.openTool(options);
  assert.ok(tool?.approval !== undefined);
  const args = tool.check({ command });
  assert.equal(tool.effect(args), "unsafe");
  if (tool.approval.asks(args)) assert.ok(tool.approval.mayAsk);
  return tool.approval.asks(args);
}

test("shell asks, except for commands in allow and with auto_approve", async (place) => {
  const settings = { allow: ["git log *"] };
  assert.equal(await asks(place, "git log -1"), true);
  assert.equal(await asks(place, "git log -1", { settings }), false);
  assert.equal(await asks(place, "git log -1; rm x", { settings }), true);
  assert.equal(await asks(place, "git log > x", { settings }), true);
  assert.equal(await asks(place, "rm x", { autoApprove: ["shell"] }), false);
  assert.equal(await asks(place, "rm $x", { autoApprove: "*" }), false);
  assert.equal(await asks(place, "rm x", { autoApprove: ["file_write"] }), true);
});

Deno.test("shell refuses what deny names, with any approval", async () => {
  await using place = await ShellFixture.open();
  const settings = { allow: ["git push *"], deny: ["git push *"] };
  const options = { settings, autoApprove: "*" as const, sandbox: noSandbox() };
  const { tool } = await place.openTool(options);
  for (const command of ["git push -f", "ls && git push", "echo $(git push)"]) {
    assert.throws(() => tool?.check({ command }), {
      name: "ToolFailure",
      message: /"command": contains "git push \*", which the agent's file denies/,
    });
  }
  assert.throws(() => tool?.check({ command: "a\0b" }), /NUL/);
});

Deno.test("shell without a sandbox asks for every command, and is not offered if one is required", async () => {
  await using place = await ShellFixture.open();
  const options = { settings: { allow: ["ls"] }, autoApprove: "*" as const };
  assert.equal(await asks(place, "ls", { ...options, sandbox: missingSandbox("preferred") }), true);
  assert.equal(await asks(place, "ls", { ...options, sandbox: missingSandbox("off") }), false);
  assert.equal(
    await asks(place, "ls", { settings: options.settings, sandbox: noSandbox() }),
    false,
  );
  const required = await place.openTool({ ...options, sandbox: missingSandbox("required") });
  assert.equal(required.tool, undefined);
  const question = async (mode: SandboxMode) => {
    const { tool } = await place.openTool({ ...options, sandbox: missingSandbox(mode) });
    return tool?.approval?.question({ command: "ls" });
  };
  assert.equal(
    await question("preferred"),
    "Allow shell in the workspace? It runs without the sandbox, with your own rights: it is missing.",
  );
  assert.equal(
    await question("off"),
    "Allow shell in the workspace? It runs with your own rights, because config.yaml switches the sandbox off.",
  );
  assert.match(await place.run("pwd", { sandbox: noSandbox() }), /workspace$/);
});

test("shell without socat asks for every command if it may reach some hosts only", async (place) => {
  const { bridge: _bridge, ...bubblewrap } = systemBubblewrap();
  const sandbox = (mode: SandboxMode) =>
    new ProcessSandbox({
      mode: () => mode,
      home: "/",
      find: () => Promise.resolve({ bubblewrap }),
    });
  const options = { settings: { net: ["a.example"] }, autoApprove: "*" as const };
  assert.equal(await asks(place, "ls", { ...options, sandbox: sandbox("preferred") }), true);
  assert.equal(
    await asks(place, "ls", { autoApprove: "*", sandbox: sandbox("preferred") }),
    false,
  );
  assert.equal(
    (await place.openTool({ ...options, sandbox: sandbox("required") })).tool,
    undefined,
  );
});

test("the question of shell names the folder, the writable paths and the hosts", async (place) => {
  const { workspace } = place.files;
  const ask = async (options: OpenShellOptions, args = {}) =>
    (await place.openTool(options)).tool?.approval?.question({ command: "ls", ...args });
  assert.equal(
    await ask({}),
    `Allow shell in the workspace? It may write ${workspace} and reach no host.`,
  );
  const paths = [{ alias: "notes", path: join(workspace, "notes") }];
  const settings = { net: ["a.example", "b.example:8080"] };
  const sandbox = systemBubblewrap().bridge === undefined ? noSandbox() : undefined;
  if (sandbox !== undefined) return;
  assert.equal(
    await ask({ paths, settings }, { folder: "{notes}/x" }),
    `Allow shell in {notes}/x? It may write ${workspace}/notes and reach a.example, b.example:8080.`,
  );
});

test("shell costs the model at most 600 characters, and starts nothing before its first call", async (place) => {
  let searches = 0;
  const sandbox = new ProcessSandbox({
    mode: () => "preferred",
    home: "/",
    find: () => {
      searches++;
      return Promise.resolve({ problem: "", remedy: "" });
    },
  });
  const { tool } = await place.openTool({ sandbox, offline: true });
  const { name, description, parameters } = tool ?? assert.fail();
  const text = JSON.stringify({ name, description, parameters });
  assert.ok(text.length <= 600, `${text.length}: ${text}`);
  assert.equal(searches, 0);
});

test("a process that outlives its command is ended with it", async (place) => {
  const clock = new SystemClock();
  await place.run("(setsid sh -c 'sleep 0.5; touch late' &) ; true");
  await clock.sleep(800);
  await assert.rejects(Deno.stat(join(place.files.workspace, "late")), Deno.errors.NotFound);
});
