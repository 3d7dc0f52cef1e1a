import assert from "node:assert/strict";
import { ApiError, type Client } from "../../api/client/client.ts";
import { loadStats } from "../../page/state/load_stats.ts";
import { forecastBudget, forecastMonth, toCsv } from "../../page/state/usage_forecast.ts";

const usage = (date: string, agent_id: string, cost_usd: number | null) => ({
  ...{ date, agent_id, cost_usd, executions: 1, succeeded: 1, failed: 0, duration_ms: 20 },
  ...{ input_tokens: 3, output_tokens: 4, total_tokens: 7 },
});

Deno.test("forecastMonth() extends the cost of the days so far to the whole month", () => {
  const days = ["2026-01-31", "2026-02-01", "2026-02-02", "2026-02-03", "2026-02-04"];
  const used = [
    usage("2026-01-31", "a", 9),
    usage("2026-02-01", "a", 1),
    usage("2026-02-04", "b", 3),
  ];
  assert.deepEqual(forecastMonth({ days, usage: used }), { used: 4, whole: 28 });
  assert.equal(forecastMonth({ days: days.slice(2), usage: used }), null);
});

Deno.test("forecastBudget() extends the used amount to the end of the month", () => {
  const end = new Date(2026, 2, 1).getTime();
  const now = new Date(2026, 1, 8).getTime();
  assert.equal(forecastBudget(2, { end, now }), 8);
  assert.equal(forecastBudget(2, { end, now: new Date(2026, 1, 1, 5).getTime() }), null);
});

Deno.test("toCsv() quotes values, and disarms formulas", () => {
  const lines = toCsv({
    usage: [usage("2026-02-01", '=HYPERLINK("x"), y', null), usage("2026-02-02", "b", 0.5)],
  }, "model").split("\r\n");
  assert.deepEqual(lines, [
    "date,model,executions,succeeded,failed,duration_ms,input_tokens,output_tokens,total_tokens,cost_usd",
    `2026-02-01,"'=HYPERLINK(""x""), y",1,1,0,20,3,4,7,`,
    "2026-02-02,b,1,1,0,20,3,4,7,0.5",
    "",
  ]);
});

Deno.test("loadStats() uses the service's days if the browser's time zone has no name", async () => {
  const asked: object[] = [];
  const stats = { timezone: "Asia/Tokyo", days: [], usage: [] };
  const client = {
    stats: (query: object) => {
      asked.push(query);
      return "timezone" in query
        ? Promise.reject(new ApiError(422, "Unknown time zone"))
        : Promise.resolve(stats);
    },
  } as unknown as Client;
  assert.equal(await loadStats(client, { days: 7 }), stats);
  const { timeZone: timezone } = new Intl.DateTimeFormat().resolvedOptions();
  assert.deepEqual(asked, [{ days: 7, timezone }, { days: 7 }]);
});
