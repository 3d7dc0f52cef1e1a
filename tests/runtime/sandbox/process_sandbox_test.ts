// Tests ProcessSandbox on a system without a sandbox, and programs of the machine in a sandbox.
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

Deno.test("ProcessSandbox with `preferred` starts programs without a sandbox, and warns once", async () => {
  const { sandbox, told, asked } = without("preferred");
  for (let i = 0; i < 3; i++) assert.equal(await sandbox.confine(PROGRAM, RULES), PROGRAM);
  assert.deepEqual(told, [
    "Skills' scripts, commands, MCP servers and custom tools run without a sandbox: there is none. To get one, make one.",
  ]);
  assert.equal(asked.times, 1);
});

Deno.test("ProcessSandbox with `required` refuses programs without a sandbox, with the remedy", async () => {
  const { sandbox } = without("required");
  const refusal = { kind: "no_sandbox", message: /there is none.*make one/ };
  await assert.rejects(() => sandbox.confine(PROGRAM, RULES), refusal);
});

Deno.test("ProcessSandbox with `off` does not search for a sandbox", async () => {
  const { sandbox, told, asked } = without("off");
  assert.equal(await sandbox.confine(PROGRAM, RULES), PROGRAM);
  assert.deepEqual([told, asked.times], [[], 0]);
});

Deno.test("findSandbox() reports how to install and permit bubblewrap", async () => {
  if (Deno.build.os !== "linux") return;
  const missing = await findSandbox(["/nonexistent/bwrap"]);
  assert.match(JSON.stringify(missing), /not installed.*apt install bubblewrap/);
  const failing = await findSandbox(["/bin/false"]);
  assert.match(JSON.stringify(failing), /cannot create one here.*user namespaces/);
});

Deno.test("programFolders() returns installations in PATH, but not the home folder", () => {
  const home = "/home/ann";
  const of = (...folders: string[]) =>
    programFolders(folders.join(":"), home).filter((one) => !/\.(local|rustup|sdkman)/.test(one));
  const expected = ["/opt/tool", `${home}/.pyenv`];
  assert.deepEqual(of("/usr/bin", "/opt/tool/bin", `${home}/.pyenv/shims`), expected);
  assert.deepEqual(of(`${home}/.cargo/bin`, `${home}/bin`), [`${home}/.cargo/bin`, `${home}/bin`]);
  assert.deepEqual(of("/", "/home", home, "relative", ""), []);
});
