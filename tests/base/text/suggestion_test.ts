import assert from "node:assert/strict";
import { suggest } from "../../../base/text/suggestion.ts";

Deno.test("suggest() finds the nearest word", () => {
  const keys = ["type", "temperature", "max_tokens", "max_tool_calls", "description", "paths"];
  for (
    const [word, meant] of [
      ["typ", "type"],
      ["tpye", "type"],
      ["Type", "type"],
      ["temprature", "temperature"],
      ["max_token", "max_tokens"],
      ["desc", "description"],
      ["path", "paths"],
    ] as const
  ) assert.equal(suggest(word, keys), meant, word);
});

Deno.test("suggest() returns undefined if no word is near", () => {
  for (const word of ["", "zzz", "x", "q".repeat(1_000)]) {
    assert.equal(suggest(word, ["type", "paths"]), undefined, word);
  }
  assert.equal(suggest("type", []), undefined);
});
