import assert from "node:assert/strict";
import { ModelError } from "../../../runtime/models/model.ts";
import { findKey } from "../../../ops/setup/key_state.ts";

Deno.test("findKey() reports models without a key, and the host that would receive a key", () => {
  const places = { files: [], shell: { OPENAI_API_KEY: "k" } };
  assert.equal(findKey({ provider: "ollama", model: "m" }, places).required, false);
  const baseUrl = "https://proxy.example/v1";
  const foreign = findKey({ provider: "openai", model: "m", baseUrl }, places);
  const expected = ["OPENAI_API_KEY", "proxy.example", "the environment"];
  assert.deepEqual([foreign.variable, foreign.foreignHost, foreign.source], expected);
  assert.throws(() => findKey({ provider: "nobody", model: "m" }, places), ModelError);
});
