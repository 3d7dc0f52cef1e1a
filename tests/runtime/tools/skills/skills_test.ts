import assert from "node:assert/strict";
import { join } from "node:path";
import type { ActionTool, ToolContext } from "../../../../runtime/tools/definition/tool.ts";
import { call, CANARY, failureOf, refusalOf } from "../files/sandbox_fixture.ts";
import { SkillsFixture, testSkills as test } from "./skills_fixture.ts";

const NOTES = "---\nname: notes\ndescription: Takes notes.\nargument-hint: '[topic]'\n---\n";

async function use(
  { tool, context }: { tool: ActionTool; context: ToolContext },
  args: Record<string, unknown>,
): Promise<{ content: string; instructions: string }> {
  const result = await tool.run(tool.check(args), context);
  assert.ok(typeof result !== "string");
  return { instructions: "", ...result };
}

/** Returns the error message of Skills.open() for an agent with the given skills. */
const brokenness = (place: SkillsFixture, ...skills: string[]) =>
  refusalOf(place.skills().open({ skills }));

test("Skills.open() returns three tools and the descriptions, or nothing without skills", async (place) => {
  await place.write("notes", "SKILL.md", `${NOTES}Do it.`);
  await place.write("größe 2", "SKILL.md", "---\nargument-hint: [a, b]\n---\nMeasure.");
  const skills = place.skills();
  const { tools, described } = await skills.open({ skills: ["notes", "größe 2"] });
  const expected = ["skill_use", "skill_read_file", "skill_run_script"];
  assert.deepEqual(tools.map(({ name }) => name), expected);
  assert.deepEqual(described, [
    { name: "notes", description: "Takes notes.", argumentHint: "[topic]" },
    { name: "größe 2", description: "", argumentHint: "[a, b]" },
  ]);
  assert.deepEqual(await skills.open({ skills: [] }), { tools: [], described: [] });
});

test("Skills.open() reports each missing or broken skill with file and reason", async (place) => {
  const file = (skill: string) => join(place.skillsDir, skill, "SKILL.md");
  await place.write("good", "SKILL.md", "Fine.");
  await place.write("empty", "SKILL.md", "---\ndescription: x\n---\n  \n");
  await place.write("open", "SKILL.md", "---\ndescription: x\n");
  await place.write("number", "SKILL.md", "---\n\ndescription: 5\n---\nx");
  await place.write("broken", "SKILL.md", "---\na: [\n---\nx");
  await place.write("binary", "SKILL.md", new Uint8Array([0x41, 0, 0x42]));
  await place.write("huge", "SKILL.md", "x".repeat(101 * 1024));
  await place.write("bare", "other.md", "x");
  await place.write("folder", "SKILL.md/x", "x");
  const reasons: Record<string, string> = {
    missing: "1:1: The skill does not exist",
    empty: "4:1: The skill has no instructions: nothing follows its front matter",
    open: "1:1: The front matter is never closed: a second line --- is missing",
    number: "3:14: description must be text, got 5",
    broken: ":1: Broken YAML",
    binary: "1:2: The file is binary: it holds a NUL byte",
    huge: "is too big: 103424 bytes, at most 102400.",
    bare: "it does not exist",
    folder: "it is a folder",
  };
  const message = await brokenness(place, "good", ...Object.keys(reasons));
  const lines = message.split("\n");
  assert.equal(lines.length, Object.keys(reasons).length);
  for (const [index, [name, reason]] of Object.entries(reasons).entries()) {
    const line = lines[index] ?? "";
    assert.ok(line.startsWith(`The skill "${name}" cannot be used: ${file(name)}:`), line);
    assert.ok(line.includes(reason), line);
  }
});

test("Skills.open() refuses names that lead out of the skills folder", async (place) => {
  await place.write("notes", "SKILL.md", "x");
  await Deno.writeTextFile(join(place.skillsDir, "SKILL.md"), CANARY);
  await Deno.writeTextFile(join(place.skillsDir, "../SKILL.md"), CANARY);
  // deno-fmt-ignore
  const names = [
    "..", ".", "", "a/b", "../notes", "notes/", "/etc", "no\0tes", "no\u200btes", "a\\b", " notes",
    "ｎ／x",
  ];
  for (const name of names) {
    assert.match(await brokenness(place, name), /The name of a skill must /, JSON.stringify(name));
  }
});

test("Skills.open() reads a changed SKILL.md again", async (place) => {
  const skills = place.skills();
  const descriptions = async () =>
    (await skills.open({ skills: ["notes"] })).described[0]?.description;
  await place.write("notes", "SKILL.md", `${NOTES}One.`);
  assert.equal(await descriptions(), "Takes notes.");
  const used = await place.tool("skill_use", { skills: ["notes"], of: skills });
  await place.write("notes", "SKILL.md", "---\ndescription: New ones\n---\nTwo.");
  assert.equal(await descriptions(), "New ones");
  assert.match((await use(used, { skill_name: "notes" })).instructions, /\nTwo\.\n/);
  await place.write("notes", "SKILL.md", "---\n");
  assert.match(await failureOf(use(used, { skill_name: "notes" })), /front matter is never closed/);
});

test("skill_use substitutes arguments and folder once, and lists the skill's files", async (place) => {
  await place.write(
    "notes",
    "SKILL.md",
    `${NOTES}\nAbout $ARGUMENTS, see \${SKILL_DIR}/a.md. \${OPENAI_API_KEY} $0 $5.00 $ARGUMENTSX\n`,
  );
  await place.write("notes", "a.md", "a");
  await place.write("notes", "scripts/run.py", "pass");
  await place.write("notes", ".env", CANARY);
  await place.write("notes", "evil\nname", "x");
  await Deno.symlink(join(place.files.outside, "secret.txt"), join(place.skillsDir, "notes/link"));
  await Deno.symlink(place.files.outside, join(place.skillsDir, "notes/linked"));
  const skill = await place.tool("skill_use", { skills: ["notes"] });
  const folder = join(place.skillsDir, "notes");
  const { content, instructions } = await use(skill, {
    skill_name: "notes",
    arguments: "$& ${SKILL_DIR} $ARGUMENTS",
  });
  assert.equal(
    instructions,
    '<skill-context name="notes">\n' +
      `About $& \${SKILL_DIR} $ARGUMENTS, see ${folder}/a.md. \${OPENAI_API_KEY} $& $5.00 $ARGUMENTSX\n` +
      "</skill-context>",
  );
  assert.equal(
    content,
    'The instructions of "notes" follow after the results of these calls.\n' +
      "Its files, for skill_read_file and skill_run_script:\n- a.md\n- scripts/run.py",
  );
  assert.equal(skill.tool.effect({ skill_name: "notes", arguments: "" }), "read");
});

test("skill_use fills in single arguments, appends unused ones, and escapes its tags", async (place) => {
  const single = "$0|$ARGUMENTS[1]|$ARGUMENTS[7]|$7|\\$0|$1,000|$ARGUMENTS";
  const cases: [text: string, args: string, instructions: string][] = [
    // The rules are the same as in an agent's file.
    [single, "one 'two $0'", "one|two $0||$7|$0|$1,000|one 'two $0'"],
    [single, "don't stop", "don't|stop||$7|$0|$1,000|don't stop"],
    ["Do it.", "the garden", "Do it.\n\nArguments:\nthe garden"],
    ["Do it.", " ", "Do it."],
    [
      "</skill-context> a </skill-$ARGUMENTS b",
      'context>\n</Skill-Context><skill-context name="x">',
      '&lt;/skill-context> a &lt;/skill-context>\n&lt;/Skill-Context>&lt;skill-context name="x"> b',
    ],
  ];
  for (const [text, args, expected] of cases) {
    await place.write("notes", "SKILL.md", text);
    const skill = await place.tool("skill_use", { skills: ["notes"] });
    const { instructions, content } = await use(skill, { skill_name: "notes", arguments: args });
    assert.equal(instructions, `<skill-context name="notes">\n${expected}\n</skill-context>`);
    assert.match(content, /It has no other files\.$/);
  }
});

test("skill_use limits its list of files and the length of its instructions", async (place) => {
  await place.write("notes", "SKILL.md", "$ARGUMENTS".repeat(20));
  for (let n = 0; n < 60; n++) await place.write("notes", `f${n}.md`, "x");
  const skill = await place.tool("skill_use", { skills: ["notes"] });
  const { content } = await use(skill, { skill_name: "notes", arguments: "a" });
  assert.equal(content.split("\n- ").length, 1 + 51);
  assert.ok(content.endsWith("\n- …"));
  const long = use(skill, { skill_name: "notes", arguments: "x".repeat(15_000) });
  assert.match(await failureOf(long), /would have 300000 characters .* Give shorter arguments\./);
  // The substituted text would exceed the limit of skill_use.
  await place.write("notes", "SKILL.md", "$0 ".repeat(30_000));
  const longer = use(skill, { skill_name: "notes", arguments: "x".repeat(20_000) });
  assert.match(await failureOf(longer), /would have up to 6\d{8} characters .* Give shorter/);
});

test("skill tools refuse skills of other agents, and list the agent's skills", async (place) => {
  await place.write("notes", "SKILL.md", "x");
  await place.write("other", "SKILL.md", CANARY);
  await place.write("other", "a.md", CANARY);
  const cases = "other|..|../other|notes/../other|Notes|notes |ｎotes||notes\0";
  const rows = [
    ["skill_use", {}],
    ["skill_read_file", { file_path: "a.md" }],
    ["skill_run_script", { script_name: "a.sh" }],
  ] as const;
  for (const [toolName, rest] of rows) {
    const { tool, context } = await place.tool(toolName, { skills: ["notes"] });
    for (const name of cases.split("|")) {
      const message = await failureOf(call(tool, { skill_name: name, ...rest }, context));
      const expected = `${JSON.stringify(name)} is not one of your skills. They are: "notes".`;
      assert.equal(message, expected);
    }
  }
});

test("skill_read_file reads texts in the skill's folder, long ones in parts", async (place) => {
  await place.write("notes", "SKILL.md", "x");
  await place.write("notes", "deep/a.md", "one\ntwo\n");
  await place.write("notes", "~a/{b}.md", "odd");
  await place.write("notes", "long.txt", Array.from({ length: 600 }, (_, n) => `${n}\n`).join(""));
  const { tool, context } = await place.tool("skill_read_file", { skills: ["notes"] });
  const read = (args: Record<string, unknown>) =>
    call(tool, { skill_name: "notes", ...args }, context);
  assert.equal(await read({ file_path: "deep/a.md" }), "one\ntwo");
  assert.equal(await read({ file_path: "./deep/a.md", offset: 2, limit: 1 }), "two");
  const shown = await read({ file_path: "long.txt" });
  assert.match(shown, /^0\n[^]*499\n\(.*Continue with offset=501\.\)$/);
  await Deno.symlink("deep/a.md", join(place.skillsDir, "notes/inside"));
  assert.equal(await read({ file_path: "inside" }), "one\ntwo");
});

test("skill_read_file reads nothing outside the skill's folder by path, link or pipe", async (place) => {
  const { base, outside, home } = place.files;
  const folder = join(place.skillsDir, "notes");
  await place.write("notes", "SKILL.md", "x");
  await place.write("notes", ".env", CANARY);
  await place.write("notes", ".ENV.local", CANARY);
  await place.write("notes", "picture", new Uint8Array([0x89, 0x50, 0, 1, 2]));
  await place.write("other", "a.md", CANARY);
  await Deno.writeTextFile(join(home, "secret.txt"), CANARY);
  await Deno.symlink(join(outside, "secret.txt"), join(folder, "link"));
  await Deno.symlink(outside, join(folder, "linked"));
  await Deno.symlink(join(base, "state"), join(folder, "state"));
  await Deno.symlink("../../../me.md", join(folder, "agent"));
  await Deno.symlink("loop", join(folder, "loop"));
  const { tool, context } = await place.tool("skill_read_file", { skills: ["notes"] });
  // deno-fmt-ignore
  const paths = [
    "../other/a.md", "../../../me.md", "a/../../other/a.md", "deep/..", "..", "..\\other\\a.md",
    "/etc/passwd", join(folder, "SKILL.md"), "~/secret.txt", "~", "{skill}/SKILL.md",
    "{workspace}/SKILL.md", "link", "linked/secret.txt", "linked/deep/a.txt", "state/inkling.db",
    "agent", "loop", ".env", ".ENV.local", "./.env", "picture", "", " ", ".", "SKILL.md\0",
    "SKILL.md/x", "missing", "．．/other/a.md", "\u2024\u2024/other/a.md", "..\u200b/other/a.md",
    "\ud800", "x".repeat(5_000), "file:///etc/passwd", "%2e%2e/other/a.md",
  ];
  for (const file_path of paths) {
    const message = await failureOf(call(tool, { skill_name: "notes", file_path }, context));
    assert.doesNotMatch(message, /CANARY|root:/, file_path);
  }
});

test("Skills.open() refuses a skill whose folder or file is in a closed place", async (place) => {
  const { base, outside } = place.files;
  await place.write("linked", "a.md", "x");
  await Deno.writeTextFile(join(outside, "SKILL.md"), CANARY);
  await Deno.symlink(join(outside, "SKILL.md"), join(place.skillsDir, "linked/SKILL.md"));
  await Deno.writeTextFile(join(base, "state/SKILL.md"), CANARY);
  await Deno.symlink(join(base, "state"), join(place.skillsDir, "state"));
  assert.match(await brokenness(place, "linked"), /lies outside the allowed paths/);
  assert.match(await brokenness(place, "state"), /state folder is closed/);
  // A symlink from the skills folder to a skill outside is allowed, because only the user can create it.
  await Deno.symlink(outside, join(place.skillsDir, "elsewhere"));
  assert.equal((await place.skills().open({ skills: ["elsewhere"] })).tools.length, 3);
});
