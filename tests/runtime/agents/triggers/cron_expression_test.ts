import assert from "node:assert/strict";
import { parseCron } from "../../../../runtime/agents/triggers/cron_expression.ts";

function reasonOf(expression: string): string {
  const parsed = parseCron(expression);
  return "reason" in parsed ? parsed.reason : "";
}

Deno.test("parseCron() reports the error and, where possible, the replacement", () => {
  const cases = [
    ["", "must have five fields"],
    [
      "* * * *",
      "must have five fields (minute, hour, day of month, month, day of week), and has 4",
    ],
    ["@reboot", "must be one of @yearly, @annually"],
    ["* * * * 8", "invalid value for day of week: 8"],
    ["* * * * moon", "invalid value for day of week: moon"],
    ["1, * * * *", "invalid value for minute: nothing"],
    ["* * * * mon-x", "invalid value for day of week: mon-x"],
    ["-1 * * * *", "invalid value for minute: -1"],
    ["* * L * *", "invalid value for day of month: l"],
    ["5/15 * * * *", "a step needs a range or *: write 5-59/15"],
    ["*/0 * * * *", "the step of minute must be a number from 1 to 60: */0"],
    ["*/x * * * *", "the step of minute must be a number"],
    ["* 22-2 * * *", "the range 22-2 of hour runs backwards: write 22-23,0-2"],
    ["* * * * fri-mon", "the range fri-mon of day of week runs backwards: write 5-6,0-1"],
    ["0 0 31 2 *", "never fires: no date fits it"],
  ] as const;
  for (const [expression, reason] of cases) {
    assert.ok(reasonOf(expression).includes(reason), `${expression}: ${reasonOf(expression)}`);
  }
  // The expression is valid, because every month has a Friday.
  assert.equal(reasonOf("0 0 31 2 5"), "");
});
