// Fuzzes the readers of other tools' files: no text makes a reader fail, and whatever a file contains, the agent that is
// written without a yes is valid and has no permission.
import assert from "node:assert/strict";
import fc from "fast-check";
import { compose } from "../../../ops/import/agent_importer.ts";
import { substitute } from "../../../base/text/substitute.ts";
import { isJsonObject } from "../../../base/json.ts";
import { plan } from "../../../tests/ops/import/foreign_source.ts";
import { parse } from "../../../tests/runtime/agents/parsed_file.ts";
import { anyText } from "../odd_text.ts";
import { defineTarget } from "../target.ts";
import { yamlText } from "../yaml_text.ts";

const PATHS = [
  ".claude/agents/a.md",
  ".claude/commands/a/b.md",
  ".opencode/agents/a.md",
  ".github/workflows/a.md",
  "a.agent.md",
  "a.chatmode.md",
  "a.prompt.md",
  ".codex/prompts/a.md",
  ".codex/agents/a.toml",
  ".gemini/commands/a.toml",
  ".cursor/rules/a.mdc",
  "recipe.yaml",
  "a.json",
  "agents/a.md",
  "-",
];

const FIELDS = [
  ...["name", "description", "tools", "model", "permissionMode", "mcpServers", "skills", "hooks"],
  ...[
    "disallowedTools",
    "allowed-tools",
    "maxTurns",
    "memory",
    "mode",
    "permission",
    "temperature",
  ],
  ...["steps", "on", "schedule", "engine", "timeout-minutes", "mcp-servers", "handoffs", "agents"],
  ...["globs", "alwaysApply", "title", "instructions", "prompt", "parameters", "extensions"],
  ...["settings", "response", "sub_recipes", "developer_instructions", "sandbox_mode", "shell"],
  ...["auto_approve", "paths", "trigger", "enabled", "bash", "edit", "id", "mcp", "custom_tools"],
];

const VALUES = fc.constantFrom(
  ...["Bash", "Bash(*)", "Bash(rm -rf:*), Read", "mcp__a__b", "*", "Task", "bypassPermissions"],
  ...[
    "daily",
    "hourly",
    "daily at 9am",
    "danger-full-access",
    "allow",
    "{ bash: allow }",
    "sonnet",
  ],
  ...["[Bash, 'x/*']", "{ '*': allow }", "[{ name: developer, type: builtin }]", "$ARGUMENTS"],
);
const line = fc.tuple(fc.constantFrom(...FIELDS), VALUES).map(([key, value]) => `${key}: ${value}`);
const front = fc.oneof(
  yamlText(FIELDS),
  fc.array(line, { maxLength: 8 }).map((lines) => lines.join("\n")),
);
const body = fc.oneof(
  anyText,
  fc.array(
    fc.constantFrom(
      ...[
        "${API_KEY}",
        "$1",
        "$ARGUMENTS",
        "\\$",
        "!`id`",
        "!{id}",
        "@x.md",
        "{{ a }}",
        "${input:a}",
        "\n",
      ],
    ),
  ).map((parts) => parts.join("")),
);
const toml = fc.tuple(body, body).map(([prompt, name]) =>
  `prompt = ${JSON.stringify(prompt)}\ndeveloper_instructions = ${JSON.stringify(name)}\n`
);
const crontab = fc.array(
  fc.tuple(
    fc.constantFrom(
      ...["0 1 * * * claude -p ", "@daily codex exec --yolo ", "@reboot goose run -t ", "X="],
      ...["5 * * * 1 cd /x && llm -s ", "0 1 * * * bash -lc 'gemini -y -p ", "# ", "1 1 1 * * "],
    ),
    fc.constantFrom("", "'Do it' ", '"Do $X" ', "--allowedTools 'Bash' ", "$(cat /etc/passwd) "),
    fc.constantFrom("", "< ~/task.md", "%in%put", "| mail me", "> log 2>&1", "'", "&& id"),
    body,
  ),
  { maxLength: 5 },
).map((lines) => lines.map((parts) => parts.join("")).join("\n"));
const content = fc.oneof(
  crontab,
  fc.tuple(front, body).map(([yaml, text]) => `---\n${yaml}\n---\n${text}`),
  front,
  body,
  toml,
);

export const foreignFiles = defineTarget({
  name: "foreign-files",
  claim: "Every file of another tool is read without an exception, and the agent that is written " +
    "without a yes is valid, has no permission, and reads no variable.",
  cases: () => fc.tuple(fc.constantFrom(...PATHS), content),
  check([path, text]) {
    const around = { servers: { a: { command: "x" } }, repository: "/repo" };
    for (const agent of plan({ [path]: text, "x.md": "${API_KEY}" }, around).agents) {
      const parsed = parse(compose(agent, []), { name: `${agent.id}.md` });
      if (!("agent" in parsed)) {
        assert.fail(JSON.stringify(parsed.diagnostics));
      }
      const { shell, autoApprove, mcp, paths, customTools, trigger, enabled } = parsed.agent;
      assert.deepEqual({ shell, autoApprove, mcp, paths }, {
        ...{ shell: undefined, autoApprove: [], mcp: [], paths: [] },
      });
      assert.deepEqual(customTools, []);
      assert.ok(trigger.type === "manual" || !enabled);
      assert.ok(isJsonObject(agent.settings));
      const read: string[] = [];
      substitute(parsed.agent.body, {
        args: [],
        lookup: (name) => void read.push(name) as undefined,
        isWithheld: () => false,
      });
      assert.deepEqual(read, []);
    }
  },
});
