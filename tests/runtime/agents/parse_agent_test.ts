import assert from "node:assert/strict";
import { formatDiagnostic } from "../../../base/diagnostics.ts";
import {
  BAD_FILES,
  BAD_FRONT_MATTER,
  BAD_NAMES,
  ODD_FRONT_MATTER,
  type ProblemRow,
} from "./bad_agent_files.ts";
import { parse } from "./parsed_file.ts";

/** Checks that a file has these problems. If several problems or only warnings are given, the file must have no others. */
function check([content, ...problems]: ProblemRow, { name = "daily.md", loads = false } = {}) {
  const result = parse(content, { name });
  const shown = String(content).slice(0, 200);
  assert.equal("agent" in result, loads, shown);
  const found = "agent" in result ? result.agent.warnings : result.diagnostics;
  const lines = found.map(formatDiagnostic);
  for (const problem of problems) {
    const [, place = "", fragment = ""] = /^(\S+) ([^]*)$/.exec(problem) ?? [];
    const start = `/work/agents/${name}:${place}`;
    assert.ok(
      lines.some((line) => line.startsWith(start) && line.includes(fragment)),
      `${shown}\nno "${problem}" in\n${lines.join("\n")}`,
    );
  }
  // A row with one problem names only the file's first problem.
  if (problems.length > 1 || loads) assert.equal(found.length, problems.length, lines.join("\n"));
}

const withFrontMatter = ([yaml, ...problems]: ProblemRow): ProblemRow => [
  `---\n${yaml}\n---\nDo it.\n`,
  ...problems,
];

Deno.test("parseAgent() reports the problems of front matter at their positions", () => {
  for (const row of BAD_FRONT_MATTER) check(withFrontMatter(row));
});

Deno.test("parseAgent() reports why a text is no agent file, with the position", () => {
  for (const row of BAD_FILES) check(row);
  for (const [name, problem] of BAD_NAMES) check(["Do it.", problem], { name });
});

Deno.test("parseAgent() returns an agent with its warnings at their positions", () => {
  for (const row of ODD_FRONT_MATTER) check(withFrontMatter(row), { loads: true });
  for (
    const row of [
      ["\n\n---\nname: x\n---\n", "3:1 The front matter is not read"],
      [
        "<!-- ours -->\n---\nmodel: { provider: demo }\n---\nhello",
        "2:1 The front matter is not read",
      ],
      ["# Digest\n\n---\r\n# settings\ntrigger:\n  type: watch\n---\r\nhello", "3:1 its first ---"],
      ['\n+++\nname = "x"\n+++\nhello', "2:1 it is TOML"],
      // Lines `---` between parts of a text, and front matter as an example, are no front matter of the file.
      ["One\n\n---\n\nname and model: two\n\n---\nThree"],
      ["---\nname: x\n---\nWrite such files:\n---\nmodel: y\n---\n"],
    ] as const
  ) check(row, { loads: true });
});

Deno.test("parseAgent() reports all problems of a file together", () => {
  const yaml = `name: Daily!
histroy: low
model: {provider: nobody, nam: x}
settings: {temperature: 9, timeout: 0}
trigger: {type: schedule, cron: 1 2 3}
paths: .env`;
  const problems = [
    '1:1 underscores, not "!"',
    "2:7 name must hold only",
    '3:1 Unknown key histroy: it is ignored (did you mean "history"?)',
    "4:1 model.name is missing",
    "4:19 model.provider must be",
    '4:27 Unknown key model.nam: it is ignored (did you mean "name"?)',
    "5:25 settings.temperature",
    "5:37 settings.timeout",
    "6:33 trigger.cron must have five fields",
  ];
  check(withFrontMatter([yaml, ...problems]), { name: "bad!.md" });
});

Deno.test("parseAgent() suggests the key `after` for the trigger type `after`", () => {
  const problem =
    '2:17 got "after" (the key "after" beside "trigger" does that: after: other_agent)';
  check(withFrontMatter(["trigger: {type: after}", problem]));
});

Deno.test("parseAgent() never quotes a secret key, and reports at most a hundred unknown keys", async () => {
  const key = "sk-abcdefghijkl";
  const result = await parse(`---\nmodel: {provider: openai, name: x, api_key_env: ${key}}\n---\n`);
  assert.ok("diagnostics" in result);
  assert.match(result.diagnostics[0]?.message ?? "", /^model\.api_key_env must be the name of an/);
  assert.ok(!JSON.stringify(result).includes(key));

  const keys = Array.from({ length: 8_000 }, (_, i) => `k${i}:`).join("\n");
  const many = await parse(`---\n${keys}\n---\nDo it.\n`);
  assert.ok("agent" in many);
  assert.equal(many.agent.warnings.length, 100);
});
