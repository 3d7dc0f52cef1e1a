// What is done where the system has no sandbox, and what of the machine's programs is in it.
import assert from "node:assert/strict";
import { ProcessSandbox } from "../../../runtime/sandbox/process_sandbox.ts";
import { programFolders } from "../../../runtime/sandbox/base_system.ts";
import type { SandboxMode } from "../../../runtime/sandbox/sandbox_rules.ts";
import { findSandbox } from "../../../runtime/sandbox/sandbox_support.ts";

const PROGRAM = { program: "sh", args: [], cwd: "/", environment: {} };
const RULES = { read: [], write: [], closed: [], net: "none" as const };

function without(mode: SandboxMode) {
  const told: string[] = [];
  const asked = { times: 0 };
  const sandbox = new ProcessSandbox({
    mode: () => mode,
    home: "/home/ann",
    find: () => {
      asked.times++;
      return Promise.resolve({ problem: "there is none", remedy: "make one" });
    },
    onMissing: (sentence) => told.push(sentence),
  });
  return { sandbox, told, asked };
}

Deno.test("ProcessSandbox: preferred starts a program as it is where there is none, and says so once", async () => {
  const { sandbox, told, asked } = without("preferred");
  for (let i = 0; i < 3; i++) assert.equal(await sandbox.confine(PROGRAM, RULES), PROGRAM);
  assert.deepEqual(told, [
    "Skills' scripts, MCP servers and custom tools run without a sandbox: there is none. To get one, make one.",
  ]);
  assert.equal(asked.times, 1);
});

Deno.test("ProcessSandbox: required refuses where there is none, with what to do", async () => {
  const { sandbox } = without("required");
  const refusal = { name: "SandboxMissing", message: /there is none.*make one/ };
  await assert.rejects(() => sandbox.confine(PROGRAM, RULES), refusal);
});

Deno.test("ProcessSandbox: off asks nothing of the system", async () => {
  const { sandbox, told, asked } = without("off");
  assert.equal(await sandbox.confine(PROGRAM, RULES), PROGRAM);
  assert.deepEqual([told, asked.times], [[], 0]);
});

Deno.test("findSandbox() says how to get bubblewrap, and how to let it work", async () => {
  if (Deno.build.os !== "linux") return;
  const missing = await findSandbox(["/nonexistent/bwrap"]);
  assert.match(JSON.stringify(missing), /not installed.*apt install bubblewrap/);
  const failing = await findSandbox(["/bin/false"]);
  assert.match(JSON.stringify(failing), /cannot make one here.*user namespaces/);
});

Deno.test("programFolders() shows installations that PATH leads to, and nothing around the user's home", () => {
  const home = "/home/ann";
  const of = (...folders: string[]) =>
    programFolders(folders.join(":"), home).filter((one) => !/\.(local|rustup|sdkman)/.test(one));
  const expected = ["/opt/tool", `${home}/.pyenv`];
  assert.deepEqual(of("/usr/bin", "/opt/tool/bin", `${home}/.pyenv/shims`), expected);
  assert.deepEqual(of(`${home}/.cargo/bin`, `${home}/bin`), [`${home}/.cargo/bin`, `${home}/bin`]);
  assert.deepEqual(of("/", "/home", home, "relative", ""), []);
});
