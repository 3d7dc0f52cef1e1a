import assert from "node:assert/strict";
import { HOUR_MS } from "../../../base/time_units.ts";
import { boundsOf, CALENDAR_PERIODS } from "../../../runtime/vocabulary/budget_periods.ts";

/** Time zones whose clocks change at midnight, at 23:00 and by a whole day. */
const ZONES = ["Africa/Cairo", "America/Nuuk", "Pacific/Apia", "UTC"];

Deno.test("boundsOf() returns periods that contain the time and follow each other without gaps", () => {
  for (const timeZone of ZONES) {
    for (const period of CALENDAR_PERIODS) {
      for (const year of [2011, 2026]) {
        let now = Date.UTC(year, 0, 1);
        for (const last = Date.UTC(year + 1, 0, 1); now < last;) {
          const bounds = boundsOf(period, { now, timeZone });
          const where = `${period} in ${timeZone} at ${new Date(now).toISOString()}`;
          assert.ok(bounds.start <= now && now < bounds.end, where);
          assert.deepEqual(boundsOf(period, { now: bounds.end - 1, timeZone }), bounds, where);
          const next = boundsOf(period, { now: bounds.end, timeZone });
          assert.equal(next.start, bounds.end, where);
          now = bounds.end + (next.end - bounds.end) / 2;
        }
      }
    }
  }
});

Deno.test("boundsOf() returns days and months of a time zone, also a day with 23 hours", () => {
  const at = { now: Date.parse("2026-03-29T12:00:00Z"), timeZone: "Europe/Berlin" };
  const day = boundsOf("day", at);
  assert.equal(day.start, Date.parse("2026-03-28T23:00:00Z"));
  assert.equal(day.end - day.start, 23 * HOUR_MS);
  assert.deepEqual(boundsOf("month", at), {
    start: Date.parse("2026-02-28T23:00:00Z"),
    end: Date.parse("2026-03-31T22:00:00Z"),
  });
});
