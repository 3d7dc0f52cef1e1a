import assert from "node:assert/strict";
import { isQuiet } from "../../../runtime/notify/sender.ts";

const quiet = (from: string, to: string, timezone?: string) => ({ from, to, timezone, pass: [] });
const at = (time: string) => Date.parse(`2026-01-15T${time}Z`);

Deno.test("isQuiet() includes `from`, excludes `to`, and crosses midnight", () => {
  const night = quiet("22:00", "07:00");
  for (const time of ["22:00:00", "23:59:59", "00:00:00", "06:59:59"]) {
    assert.ok(isQuiet(at(time), night, "UTC"), time);
  }
  for (const time of ["07:00:00", "12:00:00", "21:59:59"]) {
    assert.ok(!isQuiet(at(time), night, "UTC"), time);
  }
  const noon = quiet("12:00", "13:30");
  const cases = [["11:59:59", false], ["12:00:00", true], ["13:30:00", false]] as const;
  for (const [time, expected] of cases) {
    assert.equal(isQuiet(at(time), noon, "UTC"), expected, time);
  }
});

Deno.test("isQuiet() uses the time zone of the settings, else the machine's", () => {
  assert.ok(isQuiet(at("13:00:00"), quiet("22:00", "23:00", "Asia/Tokyo"), "UTC"));
  assert.ok(isQuiet(at("13:00:00"), quiet("22:00", "23:00"), "Asia/Tokyo"));
  assert.ok(!isQuiet(at("13:00:00"), quiet("22:00", "23:00", "UTC"), "Asia/Tokyo"));
});

Deno.test("isQuiet() handles the repeated and the skipped hour of daylight saving time", () => {
  const small = quiet("02:00", "03:00", "Europe/Berlin");
  const hours = (day: string) =>
    Array.from(
      { length: 6 },
      (_, hour) => Date.parse(`${day}T00:30:00Z`) - 3_600_000 + hour * 3_600_000,
    )
      .map((one) => isQuiet(one, small, "UTC"));
  // The local times 00:30, 01:30, 03:30 and so on: the hour from 02:00 is skipped.
  assert.deepEqual(hours("2026-03-29"), [false, false, false, false, false, false]);
  // The local times 01:30, 02:30, 02:30, 03:30 and so on: the hour from 02:00 is repeated.
  assert.deepEqual(hours("2026-10-25"), [false, true, true, false, false, false]);
});
