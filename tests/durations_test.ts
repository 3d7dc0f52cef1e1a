import assert from "node:assert/strict";
import { formatDuration, parseDuration } from "../runtime/durations.ts";

Deno.test("parseDuration() reads what people write and nothing else", () => {
  const good: Record<string, number> = {
    "30s": 30_000,
    "5m": 300_000,
    "1h30m": 5_400_000,
    "1d": 86_400_000,
    "500ms": 500,
    "90s": 90_000,
    "1w": 604_800_000,
    "1m500ms": 60_500,
    "0s": 0,
  };
  for (const [text, ms] of Object.entries(good)) assert.equal(parseDuration(text), ms, text);
  for (
    const text of [
      "",
      "5",
      "m",
      "-5m",
      "5 m",
      "1.5h",
      "5m1h",
      "5m5m",
      "5M",
      "1h 30m",
      "99999999999999999d",
    ]
  ) {
    assert.equal(parseDuration(text), undefined, text);
  }
});

Deno.test("formatDuration() is short at every size", () => {
  const cases: [number, string][] = [
    [0, "0ms"],
    [850, "850ms"],
    [12_340, "12.3s"],
    [59_949, "59.9s"],
    [59_960, "1m 00s"],
    [245_000, "4m 05s"],
    [7_380_000, "2h 03m"],
    [273_600_000, "3d 04h"],
  ];
  for (const [ms, text] of cases) assert.equal(formatDuration(ms), text);
});
