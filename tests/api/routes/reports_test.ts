import assert from "node:assert/strict";
import { LogBody, StatsBody } from "../../../api/schemas/report_schemas.ts";
import { createTestApp } from "../../support/test_app.ts";

Deno.test("GET /stats returns all days with their usage", async () => {
  const { call, runtime } = createTestApp();
  runtime.report = {
    timeZone: "Europe/Berlin",
    days: [{ date: "2026-01-01", start: 0 }, { date: "2026-01-02", start: 86_400_000 }],
    entries: [{
      date: "2026-01-02",
      agentId: "writer",
      executions: 3,
      succeeded: 1,
      failed: 1,
      durationMs: 900,
      inputTokens: 10,
      outputTokens: 5,
      totalTokens: 15,
      costUsd: null,
    }],
  };
  const { status, body } = await call("/stats?days=2&timezone=Europe/Berlin");
  assert.equal(status, 200);
  assert.deepEqual(StatsBody.parse(body), body);
  assert.deepEqual(body, {
    timezone: "Europe/Berlin",
    days: ["2026-01-01", "2026-01-02"],
    usage: [{
      date: "2026-01-02",
      agent_id: "writer",
      executions: 3,
      succeeded: 1,
      failed: 1,
      duration_ms: 900,
      input_tokens: 10,
      output_tokens: 5,
      total_tokens: 15,
      cost_usd: null,
    }],
  });
  await call("/stats?timezone=&by=model");
  assert.deepEqual(runtime.usageRequests, [
    { days: 2, by: undefined, timeZone: "Europe/Berlin" },
    { days: 30, by: "model" },
  ]);
});

Deno.test("GET /stats refuses an unknown time zone and too many days", async () => {
  const { call } = createTestApp();
  for (
    const query of [
      "timezone=Mars/Olympus",
      // UTC offsets are refused: the sums are stored by quarter-hours, at which the days of named zones begin.
      ...["timezone=%2B02:07", "timezone=%2B02", "timezone=-0530", "timezone=%E2%88%9202:00"],
      ...["days=0", "days=367", "days=x"],
      // A repeated parameter is ambiguous, so it is refused.
      ...["days=7&days=30", "timezone=UTC&timezone=UTC"],
    ]
  ) {
    const { status, body } = await call(`/stats?${query}`);
    assert.equal(status, 422, query);
    assert.deepEqual(body.detail[0].loc, ["query", query.split("=")[0]]);
  }
});

Deno.test("GET /log returns the file name and the last lines", async () => {
  const { call, runtime } = createTestApp();
  runtime.logFileLines.push("a", "b", "c");
  const { body } = await call("/log?lines=2");
  assert.deepEqual(LogBody.parse(body), body);
  assert.deepEqual(body, { file: runtime.directories.logFile, lines: ["b", "c"] });
  assert.equal((await call("/log?lines=5001")).status, 422);
});
