import assert from "node:assert/strict";
import { isTimeZone } from "../../../runtime/config/time_zone.ts";

Deno.test("isTimeZone() accepts only names of time zones", () => {
  for (const name of ["UTC", "Europe/Paris", "US/Pacific", "Asia/Calcutta", "+05:30"]) {
    assert.ok(isTimeZone(name), name);
  }
  for (const name of ["", "Mars/Base", "Etc/Unknown", "2026-01-01T00:00Z", "Europe/Paris "]) {
    assert.ok(!isTimeZone(name), name);
  }
});
