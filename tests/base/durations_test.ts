import assert from "node:assert/strict";
import fc from "fast-check";
import { formatDuration, parseDuration, writeDuration } from "../../base/durations.ts";

Deno.test("parseDuration() parses valid durations only", () => {
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
  const worded = {
    "5 minutes": 300_000,
    "1 Hour": 3_600_000,
    "1 hour 30 mins": 5_400_000,
    "2days": 172_800_000,
  };
  Object.assign(good, worded);
  for (const [text, ms] of Object.entries(good)) assert.equal(parseDuration(text), ms, text);
  const bad = [
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
    "5 moons",
    "minutes",
    "5  minutes",
  ];
  for (const text of [...bad, "99999999999999999d"]) {
    assert.equal(parseDuration(text), undefined, text);
  }
});

Deno.test("formatDuration() uses the two largest units that are not zero", () => {
  const table = [
    [0, "0ms"],
    [850, "850ms"],
    [1_000, "1.0s"],
    [3_240, "3.2s"],
    [59_940, "59.9s"],
    [59_960, "1m 00s"],
    [125_000, "2m 05s"],
    [3_599_600, "1h 00m"],
    [3_720_000, "1h 02m"],
    [90_000_000, "1d 1h"],
  ] as const;
  for (const [ms, text] of table) assert.equal(formatDuration(ms), text);
});

Deno.test("writeDuration() writes durations that parseDuration() parses", () => {
  assert.equal(writeDuration(0), "0s");
  assert.equal(writeDuration(90_000), "1m30s");
  assert.equal(writeDuration(86_400_500), "1d500ms");
  fc.assert(fc.property(fc.nat(10_000_000_000), (ms) => {
    assert.equal(parseDuration(writeDuration(ms)), ms);
  }));
});
