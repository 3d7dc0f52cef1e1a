import assert from "node:assert/strict";
import fc from "fast-check";
import { suggest } from "../../../base/text/suggestion.ts";
import { LETTERS, textOf } from "../../support/any_text.ts";

Deno.test("suggest() finds the word that was meant", () => {
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

Deno.test("suggest() is silent when nothing is near", () => {
  for (const word of ["", "zzz", "x", "q".repeat(1_000)]) {
    assert.equal(suggest(word, ["type", "paths"]), undefined, word);
  }
  assert.equal(suggest("type", []), undefined);
});

Deno.test("suggest() prefers the nearer word, then the earlier one", () => {
  assert.equal(suggest("lost", ["list", "last", "lost1"]), "list");
  assert.equal(suggest("lists", ["lost", "list"]), "list");
});

Deno.test("suggest() forgives one swapped pair of letters in any longer word", () => {
  const word = textOf(LETTERS, { minLength: 4, maxLength: 12 });
  fc.assert(fc.property(word, fc.nat(10), (known, at) => {
    const i = at % (known.length - 1);
    const typed = known.slice(0, i) + known.charAt(i + 1) + known.charAt(i) + known.slice(i + 2);
    if (typed !== known) assert.equal(suggest(typed, [known]), known);
  }));
});
