import assert from "node:assert/strict";
import { boundAnswer } from "../../../../runtime/executions/record/answer.ts";
import { Redactor } from "../../../../runtime/secrets/redactor.ts";

const BOUND = 1_000_000;
const NOTE =
  /\n\[The answer was cut: it has (\d+) characters, 1000000 is the most that is kept\.\]$/;

Deno.test("boundAnswer() leaves no half of a secret where it cuts", () => {
  const value = "supersecretvalue";
  const withSecret = new Redactor(() => [{ name: "A_KEY", value }]);
  const text = "🦊".repeat(BOUND - 90) + value + "x".repeat(200);
  const kept = boundAnswer(text, withSecret);
  assert.doesNotMatch(kept, /🦊super/);
  assert.match(kept, NOTE);
});
