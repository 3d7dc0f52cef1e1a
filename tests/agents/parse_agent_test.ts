import assert from "node:assert/strict";
import fc from "fast-check";
import { formatDiagnostic } from "../../runtime/diagnostics.ts";
import { BAD_RULES } from "./bad_rules.ts";
import { BAD_TEXTS } from "./bad_texts.ts";
import { BAD_VALUES } from "./bad_values.ts";
import { ODD_FILES } from "./odd_files.ts";
import { parse } from "./parsed_file.ts";

const BAD_AGENT_FILES = [
  ...BAD_VALUES,
  ...BAD_RULES,
  ...BAD_TEXTS,
  ...ODD_FILES,
];

for (const bad of BAD_AGENT_FILES) {
  Deno.test(`parseAgent() places the problem of a file: ${bad.about}`, async () => {
    const name = bad.name ?? "daily.md";
    const result = await parse(bad.content, { name });
    assert.equal(
      "agent" in result,
      bad.warning === true,
      JSON.stringify(result),
    );
    const found = "agent" in result ? result.agent.warnings : result.diagnostics;
    const lines = found.map(formatDiagnostic);
    for (const [place, fragment] of bad.expect) {
      const prefix = `/work/agents/${name}:${place}`;
      assert.ok(
        lines.some((line) => line.startsWith(prefix) && line.includes(fragment)),
        `no "${place} ${fragment}" in\n${lines.join("\n")}`,
      );
    }
    // Nothing beyond what is expected, unless the table shows only the first of many.
    if (bad.expect.length > 1 || bad.warning) {
      assert.equal(found.length, bad.expect.length, lines.join("\n"));
    }
  });
}

Deno.test("the table of bad agent files has at least 60 errors", () => {
  assert.ok(BAD_AGENT_FILES.filter((bad) => !bad.warning).length >= 60);
});

Deno.test("parseAgent() never repeats a key that was mistaken for a variable's name", async () => {
  const key = "sk-abcdefghijkl";
  const result = await parse(
    `---\nmodel: {provider: openai, name: x, api_key_env: ${key}}\n---\n`,
  );
  assert.ok("diagnostics" in result);
  assert.match(
    result.diagnostics[0]?.message ?? "",
    /^model\.api_key_env must be the name of an/,
  );
  assert.ok(!JSON.stringify(result).includes(key));
});

Deno.test("parseAgent() never throws on arbitrary text, and places every diagnostic", async () => {
  const piece = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.constantFrom(
      "---\n",
      "---\r\n",
      "\n",
      "\t",
      ": ",
      "- ",
      "{",
      "[",
      "&a ",
      "*a",
      "? ",
      "!!x ",
      '"',
    ),
    fc.constantFrom(
      "name",
      "model",
      "trigger",
      "paths",
      "settings",
      "auto_approve",
      "cron",
    ),
  );
  const text = fc.array(piece, { maxLength: 40 }).map((parts) => parts.join(""));
  await fc.assert(
    fc.asyncProperty(text, fc.boolean(), async (content, fenced) => {
      const result = await parse(
        fenced ? `---\n${content}\n---\nbody` : content,
      );
      const found = "agent" in result ? result.agent.warnings : result.diagnostics;
      for (const { line, column, message } of found) {
        assert.ok(line > 0 && column > 0 && message !== "");
      }
    }),
    { numRuns: 500 },
  );
});

Deno.test("parseAgent() never throws on arbitrary bytes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 60 }), async (bytes) => {
      await parse(bytes);
    }),
    { numRuns: 500 },
  );
});

Deno.test("parseAgent() never throws on arbitrary values of known fields", async () => {
  const keys = [
    "name",
    "model",
    "trigger",
    "paths",
    "settings",
    "auto_approve",
    "skills",
    "tools",
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...keys),
      fc.jsonValue(),
      async (key, value) => {
        const result = await parse(
          `---\n${key}: ${JSON.stringify(value)}\n---\n`,
        );
        assert.ok("agent" in result || result.diagnostics.length > 0);
      },
    ),
    { numRuns: 500 },
  );
});

Deno.test("parseAgent() shows a hundred unknown keys, and no more", async () => {
  const keys = Array.from({ length: 8_000 }, (_, i) => `k${i}:`).join("\n");
  const result = await parse(`---\n${keys}\n---\n`);
  assert.ok("agent" in result);
  assert.equal(result.agent.warnings.length, 100);
});
