import assert from "node:assert/strict";
import { join } from "node:path";
import { validateWorkspace } from "../../../ops/authoring/workspace_validation.ts";
import { formatDiagnostic } from "../../../base/diagnostics.ts";
import { createTestWorkspace, type TestWorkspace } from "../../support/test_workspace.ts";
import { createToolPlace, writeConfig as put } from "../../runtime/executions/executions_of.ts";

const putServers = (place: TestWorkspace, servers: object) =>
  put(place, "mcp-servers.json", JSON.stringify(servers));

/** Returns the diagnostics of `daily.md` with this front matter, without the workspace's path. */
async function validate(place: TestWorkspace, lines: string): Promise<string[]> {
  await place.writeScript("daily", [{ say: "x" }], lines);
  const files = await validateWorkspace(await place.settings(), "daily", { cwd: place.root });
  return files.flatMap(({ diagnostics }) => diagnostics)
    .map((one) => `${one.severity} ${formatDiagnostic(one)}`.replaceAll(place.workspace, ""))
    // Leaves out the warning about a missing sandbox, which depends on the machine.
    .filter((text) => !text.includes("run without a sandbox"));
}

const TOOL = `export const search = {
  description: "Searches",
  parameters: { type: "object", properties: {} },
  run: () => "found",
};`;

Deno.test("validate refuses tools, skills and servers that are missing or do not load", async () => {
  await using place = await createToolPlace();
  await put(place, "tools/search.ts", TOOL);
  const skill = "---\nname: writing\ndescription: Writes\n---\nWrite.\n";
  await put(place, "skills/writing/SKILL.md", skill);
  await put(place, "mcp-servers.json", '{"mcpServers": {"files": {"command": "files-server"}}}');
  await place.writeScript("helper", [{ say: "x" }]);
  const lines =
    "tools: [search]\nskills: writing\nconfirm: [search, skill_use, run_agent]\nagents: helper";
  assert.deepEqual(await validate(place, lines), []);
  assert.deepEqual(await validate(place, "mcp: [files]\nconfirm: [files_read]"), []);

  await put(place, "mcp-servers.json", '{"files": {"command": "x", "env": {"T": "${NOT_SET}"}}}');
  const errors = await validate(place, "tools: [lost]\nskills: sonnet\nmcp: [fles, files]");
  const expected = [
    /daily\.md:3:9: The custom tool lost cannot be used: .*lost\.ts/,
    /daily\.md:4:9: The skill sonnet: .*does not exist/,
    /daily\.md:5:7: The MCP server fles is not defined in .*did you mean "files"/,
    /daily\.md:5:13: The MCP server files .*\$\{NOT_SET\} is not defined/,
  ];
  for (const one of expected) {
    assert.ok(errors.some((text) => text.startsWith("error ") && one.test(text)), String(one));
  }

  await put(place, "tools/broken.ts", 'throw new Error("at import");');
  await put(place, "tools/curious.ts", 'Deno.readTextFileSync("/etc/passwd");\n' + TOOL);
  const loaded = (await validate(place, "tools: [broken, curious]")).join("\n");
  assert.match(loaded, /The custom tool broken cannot be used: .*at import/);
  assert.match(loaded, /The custom tool curious cannot be used: /);

  await put(place, "tools/skill_use.ts", DEFAULT_TOOL);
  assert.deepEqual(await validate(place, "tools: [skill_use]"), []);

  const asking = TOOL.replace("{", `{ permissions: { env: ["NOT_SET_ANYWHERE"] },`);
  await put(place, "tools/search.ts", asking);
  const [unset = "", ...more] = await validate(place, "tools: [search]");
  const warning =
    /^warning .*daily\.md:3:9: .*search asks for the variable NOT_SET_ANYWHERE, which/;
  assert.match(unset, warning);
  assert.deepEqual(more, []);
});

Deno.test("validate refuses symbolic links that leave a skill's or the tools' folder", async () => {
  await using place = await createToolPlace();
  await put(place, "tools/search.ts", TOOL);
  await put(place, "skills/writing/SKILL.md", "---\ndescription: Writes\n---\nWrite.\n");
  await put(place, "skills/writing/scripts/a.ts", "");
  const config = join(place.agentsDir, "_config");
  await Deno.symlink("a.ts", join(config, "skills/writing/scripts/b.ts"));
  await Deno.symlink("/etc", join(config, "skills/writing/scripts/etc"));
  await Deno.symlink("../../daily.md", join(config, "tools/agent.md"));
  const found = (await validate(place, "tools: [search]\nskills: writing")).join("\n");
  const out = "is a symbolic link to a place outside the";
  assert.match(
    found,
    new RegExp(`^error .*daily\\.md:3:9: .*tools/agent\\.md ${out} tools folder`, "m"),
  );
  const skill = `^error .*daily\\.md:4:9: .*scripts/etc ${out} folder of the skill writing`;
  assert.match(found, new RegExp(skill, "m"));
});

const DEFAULT_TOOL = TOOL.replace("const search =", "default");

const CASES = [
  ["file_write", { file_write: DEFAULT_TOOL }, "tools: [file_write]", "3:9"],
  ["search", { first: TOOL, second: TOOL }, "tools: [first, second]\nconfirm: [search]", "3:16"],
] as const;

Deno.test("validate refuses a custom tool with the name of another tool", async () => {
  await using place = await createToolPlace();
  for (const [name, tools, lines, at] of CASES) {
    for (const [file, text] of Object.entries(tools)) await put(place, `tools/${file}.ts`, text);
    const [error = "", ...more] = await validate(place, lines);
    assert.deepEqual(more, [], name);
    const [, where, sentence = ""] =
      /^error .*daily\.md:(\S+): (The custom tool .*)$/.exec(error) ?? [];
    assert.equal(where, at, error);
    assert.ok(sentence.startsWith(`The custom tool "${name}" has the `), error);
  }
});

Deno.test("validate warns of an MCP program that agents can replace, and of odd server entries", async () => {
  await using place = await createToolPlace();
  const define = (cwd: string) => putServers(place, { files: { command: "x", cwd } });
  const warning =
    /warning .*daily\.md:3:7: The MCP server files .* it starts in .*, where agents may write/;
  for (const cwd of [".", "sub/folder"]) {
    await define(cwd);
    assert.match((await validate(place, "mcp: [files]\npaths: [notes]")).join(), warning);
  }
  const shared = join(place.root, "shared");
  await define(shared);
  assert.match((await validate(place, `mcp: [files]\npaths: [${shared}]`)).join(), warning);
  for (const cwd of ["agents/_config", place.root]) {
    await define(cwd);
    assert.deepEqual(await validate(place, "mcp: [files]"), []);
  }

  const off = { command: "sh", disabled: true };
  const mcpServers = { files: { command: "x", arg: [] }, fine: { command: "sh" }, off };
  await putServers(place, { mcpServers, late: { command: "y" } });
  const found = async (mcp: string) =>
    (await validate(place, `mcp: [${mcp}]`)).map((one) =>
      one.replace(/^.*mcp-servers\.json: /, "")
    );
  assert.deepEqual(await found("files"), ['it has an unknown key "arg" (did you mean "args"?)']);
  assert.deepEqual(await found("fine"), []);
  assert.deepEqual(await found("off"), ["its entry disables it"]);
  const sentence = 'it is beside "mcpServers" and ignored: move it inside';
  assert.deepEqual(await found("late"), [sentence]);
});

Deno.test("validate warns of relative paths in a server's command, which starts outside the workspace", async () => {
  await using place = await createTestWorkspace({ shell: { TOKEN: "./secret-0123456789" } });
  await Deno.mkdir(join(place.workspace, "mcp"));
  await Deno.writeTextFile(join(place.workspace, "mcp/s.py"), "");
  const hint = async (entry: object) => {
    await putServers(place, { files: entry });
    const found = await validate(place, "mcp: [files]");
    return found.filter((one) => one.startsWith("warning "))
      .map((one) => one.replace(/^.*mcp-servers\.json: /, ""));
  };
  const found = (paths: string) =>
    `it starts in a folder of its own, not in the workspace: write ${paths} in full, or give cwd`;
  const cases = [
    [{ command: "python3", args: ["/srv/s.py", "."] }, '"."'],
    [{ command: "python3", args: ["mcp/s.py", "."] }, '"mcp/s.py" and "."'],
    [{ command: "./mcp/s.py", args: ["../x"] }, '"./mcp/s.py" and "../x"'],
    [{ command: "mcp/s.py", args: ["--root=."] }, '"mcp/s.py" and "."'],
    [{ command: "x", args: ["${TOKEN}"] }, '"[redacted:TOKEN]"'],
  ] as const;
  for (const [entry, paths] of cases) assert.deepEqual(await hint(entry), [found(paths)]);
  const args = ["", "-y", "-", "mcp/t.py", "@scope/server", join(place.root, ".")];
  const rows = [{ command: "mcp", args }, { command: "./mcp/s.py", args: ["."], cwd: place.root }];
  for (const entry of rows) assert.deepEqual(await hint(entry), []);
});

Deno.test("validate refuses an MCP program that a run would not find", async () => {
  const shell = { PATH: "/nonexistent:bin:~/tools", TOKEN: "secret-0123456789" };
  await using place = await createTestWorkspace({ shell });
  const bin = join(place.workspace, "bin");
  await Deno.mkdir(join(place.root, "tools"));
  await Deno.writeTextFile(join(place.root, "tools/at-home"), "", { mode: 0o755 });
  await Deno.mkdir(join(bin, "folder"), { recursive: true });
  await Deno.writeTextFile(join(bin, "server"), "", { mode: 0o755 });
  await Deno.writeTextFile(join(bin, "text"), "", { mode: 0o644 });
  const table: [string, boolean][] = [
    [join(bin, "server"), true],
    ["bin/server", true],
    ["./bin/../bin/server", true],
    ["server", true],
    ["at-home", true],
    ["/nonexistent/prog", false],
    ["bin/prog", false],
    [join(bin, "server", "x"), false],
    ["prog", false],
    // The file in PATH is a folder or not executable.
    ["folder", false],
    ["text", false],
    ["/nonexistent/${TOKEN}", false],
  ];
  for (const [command, isThere] of table) {
    const cwd = place.workspace;
    await putServers(place, { files: { command, cwd, env: { HOME: place.root } } });
    const found = await validate(place, "mcp: [files]");
    const [error = "", ...more] = found.filter((one) => one.startsWith("error "));
    assert.deepEqual([error === "", more], [isThere, []], command);
    if (isThere) continue;
    const shown = command.replace("${TOKEN}", "[redacted:TOKEN]").replace(place.workspace, "");
    assert.ok(error.includes("daily.md:3:7: The MCP server files in "), error);
    assert.ok(error.includes(`: its command ${shown} does not exist (looked for `), error);
  }
});

Deno.test("validate accepts other programs' front matter keys in skills", async () => {
  await using place = await createToolPlace();
  const keys =
    "license: MIT\ncompatibility: all\nmetadata: {author: me}\nallowed-tools: Read, Bash(git:*)";
  await put(place, "skills/notes/SKILL.md", `---\ndescription: x\n${keys}\n---\nDo it.`);
  assert.deepEqual(await validate(place, "skills: notes"), []);
  await put(place, "skills/notes/SKILL.md", "---\nname: other\nargument_hint: x\n---\nDo it.");
  const found = await validate(place, "skills: notes");
  assert.equal(found.length, 3);
  assert.ok(found.every((one) => one.startsWith("warning ") && one.includes("The skill notes: ")));
  const all = found.join("\n");
  assert.match(all, /SKILL\.md:3:1: Unknown key argument_hint: .*did you mean "argument-hint"/);
  assert.match(all, /SKILL\.md:1:1: The skill has no description/);
  assert.match(all, /SKILL\.md:2:7: The name "other" is not the folder's/);
});

Deno.test("validate reports web_search without its service or key", async () => {
  const validateWith = async (search: string, shell: Record<string, string> = {}) => {
    await using place = await createToolPlace({ lines: search, shell });
    return await validate(place, "tools: [web_search]\nconfirm: [web_search]");
  };
  assert.deepEqual(await validateWith(""), [
    "error /agents/daily.md:3:9: web_search needs a service: add `search: { provider: searxng, base_url: ... }`, " +
    "brave or tavily to config.yaml",
  ]);
  assert.deepEqual(await validateWith("search: { provider: brave }\n"), [
    "error /agents/daily.md:3:9: web_search needs the key of brave in the variable BRAVE_API_KEY, which is not set",
  ]);
  const shell = { BRAVE_API_KEY: "key-0123456789" };
  assert.deepEqual(await validateWith("search: { provider: brave }\n", shell), []);
});

Deno.test("validate warns about unset variables in shell.env, and refuses those with a key", async () => {
  const shell = { DEPLOY_TOKEN: "token-0123456789", OPENAI_API_KEY: "key-0123456789" };
  await using place = await createToolPlace({ shell });
  const lines = "shell: {env: [DEPLOY_TOKEN, NOT_SET, OPENAI_API_KEY, INKLING_API_KEY]}";
  const refused = (name: string) =>
    `error /agents/daily.md:3:8: The variable ${name} in shell.env has a key of a provider, a trigger or the service, ` +
    "which no command gets (remove it, or give commands a variable with a key of their own)";
  assert.deepEqual(await validate(place, lines), [
    "warning /agents/daily.md:3:8: The variable NOT_SET in shell.env is not set",
    ...["OPENAI_API_KEY", "INKLING_API_KEY"].map(refused),
  ]);
});

Deno.test("validate warns about a custom tool that takes the name of the shell", async () => {
  await using place = await createToolPlace();
  await put(place, "tools/shell.ts", TOOL.replace("const search", "const shell"));
  const [warning, ...others] = await validate(place, "tools: [shell]\nshell: true");
  assert.match(
    warning ?? "",
    /^warning .*:3:9: The custom tool "shell" has the name of a built-in tool, which this agent does not get/,
  );
  assert.deepEqual(others, []);
});
