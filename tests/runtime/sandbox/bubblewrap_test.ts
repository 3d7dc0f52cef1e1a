// Tests the sandbox from inside, by programs that run in it.
import assert from "node:assert/strict";
import { join } from "node:path";
import { SystemClock } from "../../../base/clock.ts";
import { firstOf } from "../../../base/first_of.ts";
import type { SandboxRules } from "../../../runtime/sandbox/sandbox_rules.ts";
import { IGNORED_WITHOUT_SANDBOX, systemSandbox } from "./system_sandbox.ts";
import { withTempDir } from "../../support/temp_dir.ts";

interface World {
  dir: string;
  home: string;
  workspace: string;
  /** Runs a shell script in the workspace. Returns its joined output and its exit code. */
  run(
    script: string,
    options?: {
      rules?: Partial<SandboxRules>;
      environment?: Record<string, string>;
      /** A program with arguments that starts the sandbox. */
      by?: readonly string[];
    },
  ): Promise<{ code: number; text: string }>;
}

function test(name: string, body: (world: World) => Promise<void>): void {
  Deno.test({ name, ignore: IGNORED_WITHOUT_SANDBOX, fn: () => withTempDir(runIn) });

  async function runIn(dir: string): Promise<void> {
    const [home, workspace] = [join(dir, "home"), join(dir, "workspace")];
    for (const one of [home, workspace]) Deno.mkdirSync(one);
    const sandbox = systemSandbox(home);
    await body({
      dir,
      home,
      workspace,
      async run(script, { rules = {}, environment = {}, by = [] } = {}) {
        const program = await sandbox.confine({
          program: "sh",
          args: ["-c", script],
          cwd: workspace,
          environment: { PATH: "/usr/bin:/bin", HOME: home, ...environment },
        }, { read: [], write: [workspace], closed: [], net: "none", ...rules });
        const [first = "", ...args] = [...by, program.program, ...program.args];
        const { code, stdout, stderr } = await new Deno.Command(first, {
          args,
          cwd: program.cwd,
          env: { ...program.environment },
          clearEnv: true,
        }).output();
        const text = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
        return { code, text };
      },
    });
  }
}

test("a sandboxed program uses declared paths, and starts in its working folder", async ({ dir, workspace, run }) => {
  const readable = join(dir, "readable");
  Deno.mkdirSync(readable);
  Deno.writeTextFileSync(join(readable, "a.txt"), "to read");
  const rules = { read: [readable] };
  const { text } = await run(`pwd; cat ${readable}/a.txt; echo new > made.txt`, { rules });
  assert.equal(text, `${workspace}\nto read`);
  assert.equal(Deno.readTextFileSync(join(workspace, "made.txt")), "new\n");
  const denied = await run(`echo x > ${readable}/a.txt`, { rules });
  assert.match(denied.text, /Read-only file system/);
});

test("a folder of PATH that cannot be reached is skipped, as in a shell", async ({ dir, run }) => {
  Deno.symlinkSync("loop", join(dir, "loop"));
  Deno.writeTextFileSync(join(dir, "file"), "");
  const folders = ["loop/tools", "file/tools", "missing"].map((one) => join(dir, one));
  const environment = { PATH: ["/usr/bin:/bin", ...folders].join(":") };
  assert.deepEqual(await run("echo works", { environment }), { code: 0, text: "works\n" });
});

test("undeclared paths do not exist in the sandbox", async ({ dir, home, workspace, run }) => {
  Deno.writeTextFileSync(join(dir, "secret.txt"), "KEY");
  Deno.writeTextFileSync(join(home, ".netrc"), "KEY");
  Deno.symlinkSync(join(dir, "secret.txt"), join(workspace, "link"));
  const ways = [
    ...["$1/secret.txt", "../secret.txt", "link", "$HOME/.netrc", "/proc/1/root/$1/secret.txt"],
  ];
  for (const way of ways) {
    const { code, text } = await run(`set -- ${dir}; cat ${way}`);
    assert.equal(code, 1, way);
    assert.doesNotMatch(text, /KEY/, way);
  }
  // New files are in a temporary folder of the sandbox, which is deleted with it.
  await run(`echo x > ${dir}/made.txt; echo x > ~/made.txt`);
  assert.deepEqual(names(dir), ["home", "secret.txt", "workspace"]);
  assert.deepEqual(names(home), [".netrc"]);
});

function names(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
}

test("a sandboxed program cannot read or replace closed paths in a declared folder", async ({ home, workspace, run }) => {
  Deno.mkdirSync(join(workspace, "agents"));
  Deno.mkdirSync(join(workspace, "deep/er"), { recursive: true });
  Deno.mkdirSync(join(home, ".ssh"));
  const files = [
    ...[join(workspace, ".env"), join(workspace, "deep/er/.env.local")],
    ...[join(workspace, "agents/a.md"), join(home, ".ssh/id_ed25519"), join(home, ".netrc")],
  ];
  for (const file of files) Deno.writeTextFileSync(file, "KEY");
  const rules = { write: [workspace, home], closed: [join(workspace, "agents")] };
  const ways = files.flatMap((file) => [`cat ${file}`, `echo x > ${file}`, `mv ${file} got`]);
  const tried = ways.map((way) => `(${way}) 2>/dev/null && echo "done: ${way}"; cat got`);
  // A closed folder is empty in the sandbox, so it has no file to delete.
  const removed = files.map((file) => `rm -f ${file}`);
  const { text } = await run([...tried, ...removed].join("\n"), { rules });
  assert.doesNotMatch(text, /KEY|done/);
  for (const file of files) assert.equal(Deno.readTextFileSync(file), "KEY", file);
  const moved = await run("mv deep moved; cat moved/er/.env.local", { rules });
  assert.doesNotMatch(moved.text, /KEY/);
});

test("a sandboxed program gets only the certificates that the usual variables name", async ({ dir, home, run }) => {
  const pem = (what: string) => `-----BEGIN ${what}-----\nAAAA\n-----END ${what}-----\n`;
  const files: [path: string, text: string, isPassed: boolean][] = [
    ["ca.pem", `An authority\n${pem("CERTIFICATE")}`, true],
    ["folder/0a1b.0", pem("CERTIFICATE"), true],
    ["folder/server.pem", pem("CERTIFICATE") + pem("PRIVATE KEY"), false],
    ["folder/notes.txt", "KEY", false],
    ["shut/ca.pem", pem("CERTIFICATE"), false],
    ["home/.ssh/ca.pem", pem("CERTIFICATE"), false],
    ["folder/.env", pem("CERTIFICATE"), false],
  ];
  for (const one of ["folder", "shut", "home/.ssh"]) Deno.mkdirSync(join(dir, one));
  for (const [path, text] of files) Deno.writeTextFileSync(join(dir, path), text);
  const environment = {
    NODE_EXTRA_CA_CERTS: join(dir, "ca.pem"),
    SSL_CERT_DIR: `${join(dir, "folder")}:${join(home, ".ssh")}`,
    SSL_CERT_FILE: join(dir, "shut/ca.pem"),
    REQUESTS_CA_BUNDLE: join(dir, "folder/server.pem"),
  };
  const rules = { closed: [join(dir, "shut")] };
  const options = { environment, rules };
  const { text } = await run(
    `cd ${dir}; for one in ${
      files.map(([path]) => path).join(" ")
    }; do cat $one >&2 && echo $one; done 2>/dev/null`,
    options,
  );
  const passed = files.filter(([, , isPassed]) => isPassed).map(([path]) => path);
  assert.deepEqual(text.trim().split("\n"), passed);
  assert.match((await run("echo x > $NODE_EXTRA_CA_CERTS", options)).text, /Read-only/);
});

test("a declared path inside a closed folder is usable in the sandbox", async ({ workspace, run }) => {
  const closed = join(workspace, "state");
  Deno.mkdirSync(join(closed, "own"), { recursive: true });
  Deno.writeTextFileSync(join(closed, "key"), "KEY");
  const rules = { write: [workspace, join(closed, "own")], closed: [closed] };
  const { text } = await run("echo fine > state/own/a; cat state/own/a state/key", { rules });
  assert.match(text, /^fine\n.*No such file/);
});

test("a declared path with a symlink works as written in the sandbox", async ({ dir, run }) => {
  Deno.mkdirSync(join(dir, "real/sub"), { recursive: true });
  Deno.writeTextFileSync(join(dir, "real/sub/a.txt"), "linked");
  Deno.symlinkSync(join(dir, "real"), join(dir, "link"));
  const rules = { read: [join(dir, "link/sub")] };
  const { text } = await run(`cat ${dir}/link/sub/a.txt`, { rules });
  assert.equal(text, "linked");
  // On many systems /bin is a link to /usr/bin.
  const system = await run("echo begun", { rules: { read: ["/bin/sh"], programs: ["/bin"] } });
  assert.equal(system.text, "begun\n");
});

test("a sandboxed program reaches no other process, network or service", async ({ run }) => {
  const { text } = await run(
    "cat /proc/[0-9]*/comm | grep -vE '^(bwrap|cat|grep|sh)$'; cat /proc/net/dev | grep -c :; ls /run /sys /dev/shm; ls /tmp",
  );
  assert.match(text, /^1\n/);
  assert.match(text, /\/run.*No such file/);
  const kill = await run(`kill -0 ${Deno.pid}`);
  assert.match(kill.text, /No such process/);
});

test("the sandbox limits data, files and temporary folders, and keeps the system read-only", async ({ run }) => {
  const limits = await run("ulimit -c; ulimit -d; ulimit -f");
  assert.equal(limits.text, `0\n${4096 * 1024}\n${4096 * 2048}\n`);
  const temporary = await run("df -m /tmp | tail -1");
  assert.match(temporary.text, / 512 /);
  for (const path of ["/x", "/usr/x", "/etc/x", "/dev/x", "/proc/sys/kernel/core_pattern"]) {
    assert.match((await run(`echo x > ${path}`)).text, /Read-only|denied/i, path);
  }
});

test("SIGTERM reaches a sandboxed program, and no process of it remains", async ({ workspace, home }) => {
  const script =
    'trap "echo bye > bye; exit 3" TERM; setsid sleep 30 & echo ready; while :; do sleep 0.05; done';
  const program = await systemSandbox(home).confine({
    program: "sh",
    args: ["-c", script],
    cwd: workspace,
    environment: { PATH: "/usr/bin:/bin" },
  }, { read: [], write: [workspace], closed: [], net: "none" });
  const args = [...program.args];
  const stdout = "piped";
  const child = new Deno.Command(program.program, { args, stdout, detached: true }).spawn();
  const reader = child.stdout.getReader();
  await reader.read();
  Deno.kill(-child.pid, "SIGTERM");
  const within = { clock: new SystemClock(), ms: 15_000 };
  const ended = await firstOf(child.status, { within });
  if (ended.kind !== "done") Deno.kill(-child.pid, "SIGKILL");
  assert.equal(ended.kind === "done" && ended.value.code, 3);
  // The sleeping program holds the pipe's other end until it ends.
  assert.equal((await firstOf(reader.read(), { within })).kind, "done", "it goes on");
  await reader.cancel();
  assert.equal(Deno.readTextFileSync(join(workspace, "bye")), "bye\n");
});

test("all processes of a sandbox end when its parent is killed", async ({ workspace, home }) => {
  const program = await systemSandbox(home).confine({
    program: "sh",
    args: ["-c", "setsid sleep 30 & echo ready; sleep 30"],
    cwd: workspace,
    environment: { PATH: "/usr/bin:/bin" },
  }, { read: [], write: [workspace], closed: [], net: "none" });
  // The parent is a shell. The shell is killed, and its child gets no signal.
  const args = ["-c", '"$@" & echo "$!"; wait', "sh", program.program, ...program.args];
  const child = new Deno.Command("sh", { args, stdout: "piped" }).spawn();
  const reader = child.stdout.getReader();
  let text = "";
  while (!text.includes("ready")) text += new TextDecoder().decode((await reader.read()).value);
  child.kill("SIGKILL");
  await child.status;
  // Two sleeping programs hold the pipe's other end until they end.
  const within = { clock: new SystemClock(), ms: 15_000 };
  assert.equal((await firstOf(reader.read(), { within })).kind, "done", "it goes on");
  await reader.cancel();
});

test("a sandboxed program inherits no descriptor of the service beside its input and output", async ({ dir, run }) => {
  const secret = join(dir, "secret.txt");
  Deno.writeTextFileSync(secret, "secret");
  const by = ["bash", "-c", `exec 5<>${secret} 42<>${secret}; exec "$@"`, "bash"];
  const script = "cat <&5; cat /proc/self/fd/42; ls -l /proc/self/fd";
  const { text } = await run(script, { by });
  assert.doesNotMatch(text, /secret/);
  assert.match(text, / 0 -> /);
});
