import assert from "node:assert/strict";
import fc from "fast-check";
import { formatAgentFile, type NewAgentFields } from "../../../runtime/agents/agent_file_text.ts";
import { parse } from "./parsed_file.ts";
import { anyText } from "../../support/any_text.ts";

/** Texts that would change their meaning in YAML or in an agent file unless they are quoted. */
const ODD_TEXTS = [
  ...["yes", "null", "~", "1e3", "0x10", "- a", "a: b", "#x", " #x", "*a", "&a", "!!t", "'", '"'],
  ...["---", "...", "a\n---\nb", "a\n\n b\n", "\tx", "%", "@", "`", "", "|", ">"],
];

/** Texts without NUL, which no text file contains, and without lone surrogates. */
const text = fc.oneof(
  fc.constantFrom(...ODD_TEXTS),
  anyText(),
  fc.string({ unit: "grapheme" }),
  fc.array(fc.constantFrom(..."-:#\n\r\t '\"\\|>&*!%@`{}[],?~é\u2028\u0085\ufeff\u00a0x1")).map((
    list,
  ) => list.join("")),
).filter((one) => !one.includes("\0"));
const filled = text.filter((one) => one.trim() !== "");

Deno.test("formatAgentFile() writes fields that the parser reads back unchanged", async () => {
  for (const description of ODD_TEXTS) {
    const parsed = parse(formatAgentFile({ description, prompt: "Go." }));
    assert.ok("document" in parsed, JSON.stringify([description, parsed]));
    assert.equal(parsed.document.value["description"], description);
  }
  const fields = fc.record({
    description: text,
    model: fc.record({ provider: fc.constant("openai"), name: filled }),
    trigger: fc.oneof(
      fc.record({
        type: fc.constant("watch" as const),
        paths: fc.array(filled, { minLength: 1 }),
        input: text,
      }),
      fc.record({ type: fc.constant("schedule" as const), every: fc.constant("5m") }),
    ),
    paths: fc.array(
      fc.oneof(filled, fc.record({ path: filled, description: text })),
      { minLength: 1 },
    ),
    prompt: filled,
  }, { requiredKeys: ["prompt"] });
  await fc.assert(
    fc.asyncProperty(fields, async (fields: NewAgentFields) => {
      const content = formatAgentFile(fields);
      const parsed = await parse(content);
      const { prompt, ...head } = fields;
      if ("diagnostics" in parsed) {
        // The parser may only refuse forbidden paths.
        for (const { message } of parsed.diagnostics) {
          assert.match(message, /^paths\[\d+\] must not/);
        }
        return;
      }
      assert.deepEqual(parsed.document.value, JSON.parse(JSON.stringify(head)));
      assert.equal(parsed.agent.body, prompt.replace(/^(?:[ \t]*\r?\n)+/, "").trimEnd());
    }),
    { numRuns: 50 },
  );
});
