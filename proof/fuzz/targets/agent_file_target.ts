// Fuzzes the parser of agent files: with front matter that is almost right, with the mistakes that YAML allows, and with
// bytes that are no text.
import assert from "node:assert/strict";
import fc from "fast-check";
import { MAX_AGENT_FILE_BYTES } from "../../../runtime/agents/parse_agent.ts";
import { parse } from "../../../tests/runtime/agents/parsed_file.ts";
import { anyText, ODD_NAMES } from "../odd_text.ts";
import { defineTarget } from "../target.ts";
import { yamlText } from "../yaml_text.ts";

const FIELDS = [
  ...[
    "name",
    "description",
    "icon",
    "model",
    "trigger",
    "settings",
    "custom_tools",
    "tools",
    "mcp",
  ],
  ...["skills", "agents", "paths", "history", "confirm", "auto_approve", "on_pending", "enabled"],
  ...[
    "confirm_timeout",
    "on_restart",
    "id",
    "provider",
    "base_url",
    "type",
    "every",
    "cron",
    "filters",
  ],
  ...[
    "include",
    "exclude",
    "debounce",
    "max_runs",
    "temperature",
    "max_tokens",
    "max_cost_usd",
    "timezone",
    "input",
  ],
];

const frontMatter = yamlText(FIELDS);
const content = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(frontMatter, anyText).map(([yaml, body]) => `---\n${yaml}\n---\n${body}`),
  },
  { weight: 1, arbitrary: frontMatter },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.constantFrom(...FIELDS), fc.jsonValue()).map(([key, value]) =>
      `---\n${key}: ${JSON.stringify(value)}\n---\nDo it.\n`
    ),
  },
);
const bytes = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.tuple(content, fc.constantFrom("\n", "\r\n", "\r"), fc.constantFrom("", "\ufeff"))
      .map(([text, end, mark]) => new TextEncoder().encode(mark + text.replaceAll("\n", end))),
  },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 60 }) },
  {
    weight: 1,
    arbitrary: fc.tuple(content, fc.uint8Array({ minLength: 1, maxLength: 4 }), fc.nat(200)).map(
      ([text, garbage, at]) => {
        const whole = new TextEncoder().encode(text);
        return Uint8Array.from([...whole.slice(0, at), ...garbage, ...whole.slice(at)]);
      },
    ),
  },
);

export const agentFiles = defineTarget({
  name: "agent-files",
  claim: "an agent file gives an agent, or every problem with its place; never an exception",
  cases: () => bytes,
  check(file) {
    const result = parse(file);
    const found = "agent" in result ? result.agent.warnings : result.diagnostics;
    if ("diagnostics" in result) assert.ok(found.some(({ severity }) => severity === "error"));
    else {
      assert.equal(result.agent.id, "daily");
      assert.ok(found.every(({ severity }) => severity === "warning"));
    }
    const lines = new TextDecoder().decode(file).split(/\r\n|\n|\r/).length;
    for (const { line, column, message, hint } of found) {
      assert.ok(line >= 1 && line <= lines + 1, `line ${line} of ${lines}: ${message}`);
      assert.ok(column >= 1 && message !== "");
      assert.doesNotMatch(`${message}${hint ?? ""}`, /\p{Cc}/u, "a control character in a message");
    }
  },
});

/** The cases are only file sizes, because random content of this length would take too long to generate. */
export const hugeAgentFiles = defineTarget({
  name: "huge-agent-files",
  claim: "an agent file of any size and depth is read or refused by its size, not by a crash",
  oneIn: 10,
  cases: () =>
    fc.tuple(
      fc.constantFrom(
        "[",
        "{a: ",
        "- ",
        "? ",
        "a:\n ",
        "&a [*a, ",
        "'",
        "|\n ",
        "x: y\n",
        "k: 1\nj: 2\n",
        "\0",
      ),
      fc.oneof({ weight: 9, arbitrary: fc.nat(100) }, { weight: 1, arbitrary: fc.nat(20_000) }),
    ),
  check([piece, times]) {
    const yaml = piece.repeat(times);
    const result = parse(`---\n${yaml}\n---\nbody`);
    assert.ok("agent" in result || result.diagnostics.length > 0);
    assert.ok(yaml.length < MAX_AGENT_FILE_BYTES);
  },
});

const alias = fc.oneof(
  fc.constantFrom(...ODD_NAMES),
  fc.string({ unit: "grapheme", maxLength: 8 }),
);

export const pathAliases = defineTarget({
  name: "path-aliases",
  claim:
    "each name in `paths` is a path of the agent, or an error; never the whole workspace instead",
  cases: () =>
    fc.tuple(
      fc.uniqueArray(fc.tuple(alias, fc.constantFrom("in", "./out/", "/data", "~/x", "")), {
        selector: ([name]) => name,
        maxLength: 4,
      }),
      fc.boolean(),
    ),
  check([entries, isBlock]) {
    const text = entries.map(([name, path]) => `${JSON.stringify(name)}: ${JSON.stringify(path)}`);
    const paths = isBlock ? text.map((line) => `\n  ${line}`).join("") : ` {${text.join(", ")}}`;
    const result = parse(new TextEncoder().encode(`---\npaths:${paths}\n---\nDo it.\n`));
    if ("diagnostics" in result) return;
    assert.deepEqual(
      result.agent.paths.map((one) => one.alias).sort(),
      entries.map(([name]) => name).sort(),
    );
  },
});
