import assert from "node:assert/strict";
import { describeForbidden, describeUnseen } from "../../../runtime/authoring/draft_rules.ts";

Deno.test("describeUnseen() finds what a terminal does not show, and takes every text that it shows", () => {
  for (const text of ["a\u0007", "a\u001b[31mb", "a\u202eb", "a\u2066b", "a\rb", "\u0000"]) {
    const expected = "The file contains invisible control characters";
    assert.equal(describeUnseen(text), expected, JSON.stringify(text));
  }
  assert.equal(describeUnseen("---\n---\n\tÄ 漢字 🧪 عربي\n"), undefined);
});

Deno.test("describeForbidden() names every field that gives a key away, runs something, or needs no consent", () => {
  const written = {
    auto_approve: "*",
    custom_tools: ["a"],
    tools: null,
    mcp: ["files"],
    model: { provider: "openai", name: "m", base_url: "https://x.example", api_key_env: "KEY" },
    description: "Sorts",
  };
  const expected = ["auto_approve", "custom_tools", "mcp", "model.base_url", "model.api_key_env"];
  assert.deepEqual(describeForbidden(written).map((one) => one.split(" ")[1]), expected);
  assert.deepEqual(describeForbidden({ trigger: { type: "manual" }, model: "text" }), []);
});
