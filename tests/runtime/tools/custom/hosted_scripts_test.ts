// Tests .ts and .js scripts of skills, which run as programs with restricted permissions.
import assert from "node:assert/strict";
import { join } from "node:path";
import { systemProcesses } from "../../../../cli/context/processes.ts";
import { until } from "../../../support/until.ts";
import { CANARY } from "../files/sandbox_fixture.ts";
import { openBinary } from "./binary_program.ts";
import { ScriptWorld } from "./script_world.ts";

Deno.test("a script of a skill gets arguments and returns an exit code", async () => {
  await using world = await ScriptWorld.open();
  await Deno.writeTextFile(join(world.folder, "lib.ts"), "export const word: string = 'lib';");
  const end = await world.run(
    `import { word } from "./lib.ts";
     if (import.meta.main) main();
     async function main(): Promise<void> {
       await new Promise((resolve) => setTimeout(resolve, 20));
       console.log(word, JSON.stringify(Deno.args), Deno.env.get("SKILL_DIR") === import.meta.dirname, Deno.cwd().split("/").at(-1));
       console.error(await Deno.readTextFile("a.txt"));
       await Deno.writeTextFile("a.txt", "changed");
       const { default: process } = await import("node:process");
       console.log(process.argv.slice(2).join(" "));
       Deno.exit(7);
     }`,
    { args: ["--version", "two words", "ü"] },
  );
  const stdout = 'lib ["--version","two words","ü"] true notes\n--version two words ü\n';
  assert.deepEqual(end, { exitCode: 7, timedOut: false, stdout, stderr: "text\n", cut: false });
  assert.equal(await world.fixture.read("notes/a.txt"), "changed");
});

// In an executable, the permissions of the worker are the only limit. outer_wall_test.ts tests the other limit.
Deno.test("a skill's script cannot exceed its permissions", async () => {
  await using binary = await openBinary();
  await using world = await ScriptWorld.open(binary.program);
  const { workspace, outside, base } = world.fixture;
  await Deno.writeTextFile(join(workspace, "agents/_config/.env"), CANARY);
  await Deno.mkdir(join(workspace, "agents/_config/skills/other"));
  await Deno.writeTextFile(join(workspace, "agents/_config/skills/other/x.txt"), CANARY);
  const link = (target: string, name: string) => Deno.symlink(target, join(world.folder, name));
  await Deno.mkdir(join(world.folder, "deep"));
  await link(join(outside, "secret.txt"), "link.txt");
  await link("link.txt", "nested.txt");
  await link(outside, "linked");
  await link("../linked", "deep/linked");
  const attempts = [
    `Deno.readTextFileSync("/etc/passwd")`,
    `Deno.readTextFileSync("${outside}/secret.txt")`,
    `Deno.readTextFileSync("${workspace}/agents/me.md")`,
    `Deno.readTextFileSync("${workspace}/.env")`,
    `Deno.readTextFileSync("${workspace}/agents/_config/.env")`,
    `Deno.readTextFileSync("${workspace}/agents/_config/skills/other/x.txt")`,
    `Deno.readTextFileSync("${base}/config/config.yaml")`,
    `Deno.readTextFileSync("${world.folder}/link.txt")`,
    `Deno.readTextFileSync("${world.folder}/nested.txt")`,
    `Deno.readTextFileSync("${world.folder}/linked/secret.txt")`,
    `Deno.readTextFileSync("${world.folder}/deep/linked/secret.txt")`,
    `Deno.writeTextFileSync("${world.folder}/new.txt", "x")`,
    `Deno.writeTextFileSync("${outside}/new.txt", "x")`,
    `await Deno.connect({ hostname: "127.0.0.1", port: 9 })`,
    `new Deno.Command("/bin/true").outputSync()`,
    `Deno.env.get("HOME")`,
    `Deno.kill(Deno.ppid, "SIGCONT")`,
    `Deno.hostname()`,
    `Deno.dlopen("/lib/x86_64-linux-gnu/libc.so.6", {})`,
    `(await import("node:child_process")).execFileSync("/bin/true")`,
    `await import("http://127.0.0.1:9/" + "x.ts")`,
  ];
  const end = await world.run(
    attempts.map((body) =>
      `try { ${body}; console.log(${
        JSON.stringify(body)
      }); } catch (error) { console.log("refused", error.name); }`
    ).join("\n"),
  );
  const lines = end.stdout.trim().split("\n");
  assert.equal(end.stderr, "");
  assert.equal(lines.length, attempts.length);
  for (const line of lines) assert.match(line, /^refused (NotCapable|TypeError)$/);
});

Deno.test("a failing script prints its error and ends with exit code 1", async (t) => {
  await using world = await ScriptWorld.open();
  const cases: Record<string, [source: string, said: RegExp]> = {
    "throws": [`throw new Error("broken");`, /broken/],
    "takes too much memory": [
      `const all = []; for (;;) all.push(new Uint8Array(10_000_000).fill(1));`,
      /more than 512 MB of memory/,
    ],
  };
  for (const [what, [source, said]] of Object.entries(cases)) {
    await t.step(what, async () => {
      const { exitCode, stdout, stderr } = await world.run(source);
      assert.equal(exitCode, 1);
      assert.match(stdout + stderr, said);
    });
  }
});

Deno.test("an endless script is killed at its time limit and when its run stops", async () => {
  await using world = await ScriptWorld.open();
  const late = await world.run(`for (;;);`, { timeoutMs: 100 });
  assert.deepEqual([late.timedOut, late.exitCode], [true, null]);
  const stop = new AbortController();
  const work = world.run(
    `Deno.writeTextFileSync("a.txt", String(Deno.pid)); setInterval(() => {}, 1000);`,
    { signal: stop.signal },
  ).catch((error: unknown) => error);
  await until(async () => /^\d+$/.test(await world.fixture.read("notes/a.txt")), "it runs");
  const reason = new Error("cancelled");
  stop.abort(reason);
  assert.equal(await work, reason);
  const found = await systemProcesses.isAlive(Number(await world.fixture.read("notes/a.txt")));
  assert.equal(found, false);
});
