// Tests skills' scripts and custom tools in the system's sandbox.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { SystemClock } from "../../../base/clock.ts";
import { ToolWorld } from "../tools/custom/tool_world.ts";
import { SkillsFixture } from "../tools/skills/skills_fixture.ts";
import { IGNORED_WITHOUT_SANDBOX, systemSandbox } from "./system_sandbox.ts";

const ignore = IGNORED_WITHOUT_SANDBOX;

async function runScript(
  name: string,
  source: string,
): Promise<{ text: string; workspace: string }> {
  await using fixture = await SkillsFixture.open();
  const { home, base, workspace } = fixture.files;
  await Deno.mkdir(join(home, ".ssh"), { recursive: true });
  await Deno.writeTextFile(join(home, ".ssh/id_ed25519"), "THE KEY");
  await Deno.mkdir(join(base, "config"), { recursive: true });
  await Deno.writeTextFile(join(base, "config/.env"), "THE KEY");
  await Deno.writeTextFile(join(workspace, ".env"), "THE KEY");
  await fixture.write("one", "SKILL.md", "---\nname: one\ndescription: One\n---\nText");
  await fixture.write("one", `scripts/${name}`, source);
  await fixture.write("one", "template.txt", "a template");
  const { tool, context } = await fixture.tool("skill_run_script", {
    skills: ["one"],
    of: fixture.skills({ sandbox: systemSandbox(home) }),
    clock: new SystemClock(),
  });
  const args = { skill_name: "one", script_name: name, script_args: base };
  const result = await tool.run(tool.check(args), context);
  return { text: typeof result === "string" ? result : result.content, workspace };
}

Deno.test({
  name: "a shell script in the sandbox reads its skill and the workspace, but no key",
  ignore,
  fn: async () => {
    const { text } = await runScript(
      "look.sh",
      'cat "$SKILL_DIR/template.txt"; echo; echo made > made.txt; cat "$WORKSPACE/made.txt"\n' +
        'cat ~/.ssh/id_ed25519 "$1/config/.env" "$WORKSPACE/.env" 2>/dev/null; ls -A ~ "$WORKSPACE/agents"\n' +
        "exit 0\n",
    );
    assert.match(text, /a template\nmade\n/);
    assert.doesNotMatch(text, /THE KEY|\.ssh/);
    // The folders above the skill exist in the sandbox, but without their other entries.
    assert.match(text, /agents:\n_config$/);
  },
});

Deno.test({
  name: "skill_run_script runs a Python script in the sandbox",
  ignore: ignore || !hasPython(),
  fn: async () => {
    const source = "import json, sys, os, tempfile\n" +
      "open('made.json', 'w').write(json.dumps({'a': 1}))\n" +
      "print(json.load(open('made.json')), len(tempfile.mkdtemp()) > 0, os.path.exists('/etc/shadow'))\n";
    assert.match((await runScript("make.py", source)).text, /\{'a': 1\} True False/);
  },
});

function hasPython(): boolean {
  try {
    return new Deno.Command("python3", { args: ["-c", ""], clearEnv: true }).outputSync().success;
  } catch {
    return false;
  }
}

Deno.test({
  name: "a custom tool works in the sandbox, and finds only declared paths",
  ignore,
  fn: async () => {
    await using world = await ToolWorld.open({ sandbox: systemSandbox("/nonexistent") });
    const { workspace } = world.fixture;
    await world.write("lib.ts", `export const greeting = "hello";`);
    await world.write(
      "worker.ts",
      `import { greeting } from "./lib.ts";
       export default { description: "x", parameters: { additionalProperties: true },
         async run({ outside }: { outside: string }, context: any) {
           const path = context.paths.notes + "/made.txt";
           Deno.writeTextFileSync(path, greeting);
           const seen = await Deno.readTextFile(outside).catch((error) => error.name);
           return Deno.readTextFileSync(path) + " " + seen;
         } };`,
    );
    const paths = [{ alias: "notes", path: join(workspace, "notes") }];
    const outside = join(dirname(workspace), "outside.txt");
    await Deno.writeTextFile(outside, "foreign");
    assert.equal(await world.call("worker", { outside }, { paths }), "hello NotCapable");
    assert.equal(await Deno.readTextFile(join(workspace, "notes/made.txt")), "hello");
  },
});
