import assert from "node:assert/strict";
import { formatDiagnostic } from "../../../base/diagnostics.ts";
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

Deno.test("parseAgent() shows a hundred unknown keys, and no more", async () => {
  const keys = Array.from({ length: 8_000 }, (_, i) => `k${i}:`).join("\n");
  const result = await parse(`---\n${keys}\n---\nDo it.\n`);
  assert.ok("agent" in result);
  assert.equal(result.agent.warnings.length, 100);
});
