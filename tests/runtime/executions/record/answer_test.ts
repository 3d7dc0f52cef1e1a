import assert from "node:assert/strict";
import { boundAnswer } from "../../../../runtime/executions/record/answer.ts";
import { Redactor } from "../../../../runtime/secrets/redactor.ts";

const BOUND = 1_000_000;
const redactor = new Redactor(() => []);
const bound = (text: string) => boundAnswer(text, redactor);
const NOTE =
  /\n\[The answer was cut: it has (\d+) characters, 1000000 is the most that is kept\.\]$/;

Deno.test("boundAnswer() keeps 1,000,000 characters of an answer, and reports how many there were", () => {
  for (const character of ["a", "🦊"]) {
    const whole = character.repeat(BOUND);
    assert.ok(bound(whole) === whole, character);
    const text = character.repeat(BOUND + 5);
    const kept = bound(text);
    assert.equal([...kept].length, BOUND);
    const [note, reported] = NOTE.exec(kept) ?? [];
    assert.equal(reported, String(BOUND + 5));
    assert.ok(text.startsWith(kept.slice(0, -(note?.length ?? 0))), character);
  }
});

Deno.test("boundAnswer() leaves no half of a secret where it cuts", () => {
  const value = "supersecretvalue";
  const withSecret = new Redactor(() => [{ name: "A_KEY", value }]);
  const text = "🦊".repeat(BOUND - 90) + value + "x".repeat(200);
  const kept = boundAnswer(text, withSecret);
  assert.doesNotMatch(kept, /🦊super/);
  assert.match(kept, NOTE);
});
