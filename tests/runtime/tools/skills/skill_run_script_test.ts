import assert from "node:assert/strict";
import { join } from "node:path";
import type { Clock } from "../../../../base/clock.ts";
import type { ProgramEnd } from "../../../../runtime/tools/processes/run_program.ts";
import type { ScriptRun } from "../../../../runtime/tools/custom/hosted_scripts.ts";
import { TestClock } from "../../../support/test_clock.ts";
import { until } from "../../../support/until.ts";
import { call, failureOf } from "../files/sandbox_fixture.ts";
import { SkillsFixture } from "./skills_fixture.ts";

async function runScript(
  place: SkillsFixture,
  args: Record<string, unknown>,
  options: Parameters<SkillsFixture["skills"]>[0] & { signal?: AbortSignal; clock?: Clock } = {},
): Promise<string> {
  const { tool, context } = await place.tool("skill_run_script", {
    ...options,
    skills: ["notes"],
    of: place.skills(options),
  });
  return await call(tool, { skill_name: "notes", ...args }, context);
}

/** Opens a workspace with the skill `notes`, which has the given files. */
async function openWith(files: Record<string, string>): Promise<SkillsFixture> {
  const place = await SkillsFixture.open();
  await place.write("notes", "SKILL.md", "x");
  for (const [name, content] of Object.entries(files)) await place.write("notes", name, content);
  return place;
}

Deno.test("skill_run_script runs a shell script with its arguments and a small environment", async () => {
  await using place = await openWith({
    "scripts/pdf/deep er/a.sh": "echo here",
    "scripts/show me.sh": 'printf "%s|" "$@"; pwd; cat; env | sort; cat "$SKILL_DIR/SKILL.md"',
  });
  const { workspace, home } = place.files;
  const content = await runScript(place, {
    script_name: "show me.sh",
    script_args: '--to \'the garden\' "$HOME" * `id` ""',
  });
  const folder = join(place.skillsDir, "notes");
  const lines = content.split("\n")
    // Variables that sh sets itself are left out.
    .filter((line) => !/^(PWD|OLDPWD|SHLVL|_)=/.test(line));
  assert.deepEqual(lines, [
    "show me.sh ended with exit code 0.",
    `--to|the garden|$HOME|*|\`id\`||${workspace}`,
    `HOME=${home}`,
    "LANG=C",
    "PATH=/usr/bin:/bin",
    `SKILL_DIR=${folder}`,
    `WORKSPACE=${workspace}`,
    "x",
  ]);
  for (const script_name of ["scripts/pdf/deep er/a.sh", "pdf/deep er/a.sh"]) {
    assert.match(await runScript(place, { script_name }), /\nhere$/);
  }
  // A crash does not repeat the call.
  const { tool } = await place.tool("skill_run_script", { skills: ["notes"] });
  assert.equal(tool.effect({ skill_name: "notes", script_name: "a.sh" }), "unsafe");
});

Deno.test("skill_run_script runs .py with python3 from PATH, and reports a missing python3", async () => {
  const python = '#!/bin/sh\necho "python3 $*"';
  await using place = await openWith({ "a.py": "import this", "bin/python3": python });
  const bin = join(place.skillsDir, "notes/bin");
  await Deno.chmod(join(bin, "python3"), 0o755);
  const run = (PATH: string) =>
    runScript(place, { script_name: "a.py", script_args: "b c" }, { environment: { PATH } });
  const command = `python3 ${join(place.skillsDir, "notes/a.py")} b c`;
  assert.equal(await run(bin), `a.py ended with exit code 0.\n${command}`);
  const message = await failureOf(run(place.files.home));
  assert.match(message, /^Cannot start python3: it is not installed/);
});

Deno.test("skill_run_script passes .ts and .js scripts to their host", async () => {
  await using place = await openWith({ "c.ts": "", "scripts/d.js": "" });
  const runs: ScriptRun[] = [];
  const end: ProgramEnd = { exitCode: 0, timedOut: false, stdout: "hi\n", stderr: "", cut: false };
  const runHostedScript = (script: ScriptRun) => {
    runs.push(script);
    return Promise.resolve(end);
  };
  const folder = join(place.skillsDir, "notes");
  for (const [script_name, path] of [["c.ts", "c.ts"], ["scripts/d.js", "scripts/d.js"]] as const) {
    const content = await runScript(place, { script_name, script_args: "a 'b c'" }, {
      runHostedScript,
    });
    assert.equal(content, `${script_name} ended with exit code 0.\nhi`);
    const { environment, folder: readable, ...run } = runs.pop() ?? assert.fail("not run");
    assert.deepEqual(run, {
      path: join(folder, path),
      args: ["a", "b c"],
      cwd: place.files.workspace,
      timeoutMs: 30_000,
      maxOutputBytes: 65_536,
    });
    assert.equal(readable.workspace, folder);
    assert.equal(environment["SKILL_DIR"], folder);
  }
});

Deno.test("skill_run_script starts scripts in the agent's first writable path", async () => {
  await using place = await openWith({ "a.sh": 'pwd; echo "$WORKSPACE"' });
  await place.files.write("one.txt", "");
  const { tool, context } = await place.tool("skill_run_script", { skills: ["notes"] });
  const { workspace } = place.files;
  const sandbox = place.files.sandbox([
    { alias: "one", path: join(workspace, "one.txt") },
    { alias: "gone", path: join(workspace, "gone") },
    { alias: "notes", path: join(workspace, "notes") },
  ]);
  assert.equal(
    await call(tool, { skill_name: "notes", script_name: "a.sh" }, { ...context, sandbox }),
    `a.sh ended with exit code 0.\n${workspace}/notes\n${workspace}`,
  );
});

Deno.test("skill_run_script returns exit code and output, and fails for exit codes other than 0", async () => {
  await using place = await openWith({
    "fails.sh": "echo half; echo no such topic >&2; exit 2",
    "quiet.sh": "",
    "warns.sh": "echo '  one'; echo careful >&2",
    "dies.sh": "kill -9 $$",
  });
  const run = (script_name: string) => runScript(place, { script_name });
  assert.equal(await run("quiet.sh"), "quiet.sh ended with exit code 0.");
  const text = await run("warns.sh");
  assert.equal(text, "warns.sh ended with exit code 0.\n  one\nStandard error:\ncareful");
  const message = await failureOf(run("fails.sh"));
  assert.equal(message, "fails.sh ended with exit code 2.\nhalf\nStandard error:\nno such topic");
  assert.equal(await failureOf(run("dies.sh")), "dies.sh was killed by a signal.");
});

Deno.test("skill_run_script kills a script after 30 s", async () => {
  await using place = await openWith({
    "slow.sh": 'echo begun; touch "$WORKSPACE/begun"; sleep 600',
  });
  const clock = new TestClock();
  const outcome = failureOf(runScript(place, { script_name: "slow.sh" }, { clock }));
  const file = join(place.files.workspace, "begun");
  await until(() => Deno.stat(file).then(() => true, () => false), "the script has begun");
  await clock.advance(30_000);
  const ended =
    "slow.sh took longer than 30 s and was killed, with all processes that it had started.";
  assert.equal(await outcome, `${ended}\nbegun`);
});

Deno.test("skill_run_script refuses arguments with an unclosed quote before it starts a process", async () => {
  await using place = await openWith({ "a.sh": 'touch "$WORKSPACE/ran"' });
  const run = (script_args: string) => runScript(place, { script_name: "a.sh", script_args });
  assert.match(await failureOf(run("it's")), /have a ' at character 3 that is never closed/);
  assert.match(await failureOf(run("a\0b")), /NUL/);
  await assert.rejects(Deno.stat(join(place.files.workspace, "ran")), Deno.errors.NotFound);
});

Deno.test("skill_run_script runs only scripts in the skill's folder and its scripts folder", async () => {
  const touch = 'touch "$WORKSPACE/ran"';
  await using place = await openWith({
    "deep/a.sh": touch,
    "scripts/folder.sh/x": touch,
    ".hidden.sh": touch,
    "program": touch,
    "a.rb": touch,
  });
  const { outside, workspace } = place.files;
  const folder = join(place.skillsDir, "notes");
  await place.write("other", "a.sh", touch);
  await Deno.writeTextFile(join(outside, "x.sh"), touch);
  await Deno.writeTextFile(join(workspace, "x.sh"), touch);
  await Deno.symlink(join(outside, "x.sh"), join(folder, "link.sh"));
  await Deno.symlink(outside, join(folder, "scripts/linked"));
  await Deno.symlink(join(folder, "nothing"), join(folder, "dangling.sh"));
  // deno-fmt-ignore
  const names = [
    "../other/a.sh", "scripts/../../other/a.sh", "scripts/..", "scripts/", "scripts/scripts/a.sh",
    "..", ".", "", " ", "deep/a.sh", "deep//a.sh", "scripts//a.sh", "scripts/.deep/a.sh",
    "scripts/deep/../a.sh", "linked/x.sh", "scripts/linked/x.sh", "/bin/sh", join(outside, "x.sh"),
    "folder.sh", ".hidden.sh", "program", "a.rb", "a.rb\0.sh", "a.sh\n", "a.SH", "link.sh",
    "dangling.sh", "missing.sh", "x.sh", "-c.sh", "..\\other\\a.sh", "．．／other／a.sh",
    "deep\u2215a.sh", "deep\u2044a.sh", "a\u200b.sh", "\u202ehs.a", "a.sh; id", "a.sh|id.sh",
    "$(id).sh", "~/x.sh", "constructor", "a.constructor", "a.__proto__",
  ];
  const { tool, context } = await place.tool("skill_run_script", { skills: ["notes"] });
  for (const script_name of names) {
    await failureOf(call(tool, { skill_name: "notes", script_name }, context));
  }
  await assert.rejects(Deno.stat(join(workspace, "ran")), Deno.errors.NotFound);
});

Deno.test("skill_run_script runs .sh scripts with the program in their first line, else sh", async () => {
  const show = 'echo "$0|$*|${BASH_VERSION:+bash}"; false; echo on';
  await using place = await openWith({
    "bash.sh": `#!/bin/bash\n${show}`,
    "env.sh": `#! /usr/bin/env bash\r\n${show}`,
    "strict.sh": `#!/bin/bash -eu\n${show}`,
    "plain.sh": `# no shell is named\n${show}`,
    "relative.sh": `#!bash\n${show}`,
    "gone.sh": "#!/nowhere/shell\nx",
  });
  const at = (name: string) => join(place.skillsDir, "notes", name);
  const run = (script_name: string) => runScript(place, { script_name, script_args: "a b" });
  for (const name of ["bash.sh", "env.sh"]) {
    const ended = `${name} ended with exit code 0.`;
    assert.equal(await run(name), `${ended}\n${at(name)}|a b|bash\non`);
  }
  const message = await failureOf(run("strict.sh"));
  assert.equal(message, `strict.sh ended with exit code 1.\n${at("strict.sh")}|a b|bash`);
  for (const name of ["plain.sh", "relative.sh"]) {
    const shell = await runScript(place, { script_name: name });
    assert.match(shell, /\|\|(bash)?\non$/);
  }
  const sentence = await failureOf(run("gone.sh"));
  assert.match(sentence, /^Cannot start \/nowhere\/shell: it is not installed/);
});
