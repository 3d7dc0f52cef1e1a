import assert from "node:assert/strict";
import { describeCron } from "../../present/cron_words.ts";

Deno.test("describeCron() returns common expressions in words, and no wrong words for others", () => {
  const table: [cron: string, words: string | undefined][] = [
    ["30 7 * * mon-fri", "Mon to Fri at 07:30"],
    ["30 7 * * 1-5", "Mon to Fri at 07:30"],
    ["0 9,17 * * 0,WED", "Sun, Wed at 09:00, 17:00"],
    ["5 * * * *", "every hour at :05"],
    ["5 * * * sat", "Sat every hour at :05"],
    ["*/5 * * * *", "every 5 minutes"],
    ["* * * * *", "every minute"],
    ["0 */6 * * *", "every 6 hours at :00"],
    ["0 3 1 * *", "on day 1 of the month at 03:00"],
    ["15 3 * * *", "every day at 03:15"],
    ["0 3 1 * mon", undefined],
    ["0 3 * 2 *", undefined],
    ["0-5 3 * * *", undefined],
    ["0 3-5 * * *", undefined],
    ["0 3 * * 1-5/2", undefined],
    ["0 3 L * *", undefined],
  ];
  for (const [cron, words] of table) assert.equal(describeCron(cron), words, cron);
});
