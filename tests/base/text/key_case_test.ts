import assert from "node:assert/strict";
import { camelKeys, snakeKeys } from "../../../base/text/key_case.ts";

Deno.test("camelKeys() and snakeKeys() rename a map's own keys, and undo each other", () => {
  const file = { timeout: 1, max_tokens: null, max_cost_usd: { in_it: 2 } };
  const code = { timeout: 1, maxTokens: null, maxCostUsd: { in_it: 2 } };
  assert.deepEqual(camelKeys(file), code);
  assert.deepEqual(snakeKeys(code), file);
});
