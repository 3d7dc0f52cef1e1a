import assert from "node:assert/strict";
import { readMomentOption } from "../../../cli/command_line/moment.ts";

const NOW = new Date(2026, 10, 24, 9, 30, 15).getTime();

Deno.test("readMomentOption() reads durations, days, times of day and dates, in the local zone by default", () => {
  const table: [string, number][] = [
    ["2h", NOW - 7_200_000],
    ["90s", NOW - 90_000],
    ["today", new Date(2026, 10, 24).getTime()],
    ["yesterday", new Date(2026, 10, 23).getTime()],
    ["08:05", new Date(2026, 10, 24, 8, 5).getTime()],
    // Today's 22:00 is in the future, so the text means yesterday's 22:00.
    ["22:00", new Date(2026, 10, 23, 22).getTime()],
    [" 9:30 ", new Date(2026, 10, 24, 9, 30).getTime()],
    ["2026-02-28", new Date(2026, 1, 28).getTime()],
    ["2026-02-28 07:08", new Date(2026, 1, 28, 7, 8).getTime()],
    ["2026-02-28T07:08:09", new Date(2026, 1, 28, 7, 8, 9).getTime()],
    ["2026-02-28T07:08Z", Date.UTC(2026, 1, 28, 7, 8)],
    ["2026-02-28T07:08:09.123+02:00", Date.UTC(2026, 1, 28, 5, 8, 9, 123)],
  ];
  for (const [text, expected] of table) {
    assert.equal(readMomentOption("--since", text, NOW), expected, text);
  }
});

Deno.test("readMomentOption() rejects other texts and lists the accepted forms", () => {
  for (const text of ["", "soon", "24:00", "2026-02-30", "2026-13-01", "2026-01-01T25:00", "-2h"]) {
    assert.throws(
      () => readMomentOption("--since", text, NOW),
      /^CommandFailure: --since .*is not understood. It must be a moment: 22:00, today/,
      text,
    );
  }
});
