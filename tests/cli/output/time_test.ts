import assert from "node:assert/strict";
import { formatBytes } from "../../../cli/output/figures.ts";
import { formatElapsed, formatRelative } from "../../../cli/output/time.ts";

Deno.test("formatRelative() counts whole units in both directions", () => {
  const now = Date.parse("2026-03-10T12:00:00.000Z");
  const at = (ms: number) => formatRelative(new Date(now + ms).toISOString(), now);
  assert.equal(at(-5_000), "just now");
  assert.equal(at(5_000), "in a moment");
  assert.equal(at(-119_000), "1 min ago");
  assert.equal(at(5 * 60_000), "in 5 min");
  assert.equal(at(90 * 60_000), "in 90 min");
  assert.equal(at(-119 * 60_000), "119 min ago");
  assert.equal(at(2 * 3_600_000), "in 2 h");
  assert.equal(at(-3 * 3_600_000), "3 h ago");
  assert.equal(at(-30 * 86_400_000), "30 d ago");
  assert.match(at(-40 * 86_400_000), /^2026-01-\d\d$/);
});

Deno.test("formatBytes() shows at least two digits, and never 1,000 of a unit", () => {
  const table: [number, string][] = [
    [0, "0 B"],
    [999, "999 B"],
    [1_000, "1.0 kB"],
    [9_949, "9.9 kB"],
    [9_950, "10 kB"],
    [999_499, "999 kB"],
    [999_500, "1.0 MB"],
    [12_345_678, "12 MB"],
    [5_600_000_000, "5.6 GB"],
    [7_000_000_000_000_000, "7000 TB"],
  ];
  for (const [bytes, text] of table) assert.equal(formatBytes(bytes), text);
});

Deno.test("formatElapsed() counts whole seconds", () => {
  const table: [number, string][] = [
    [-5, "0s"],
    [999, "0s"],
    [12_345, "12s"],
    [59_999, "59s"],
    [60_000, "1m 00s"],
    [3_725_000, "1h 02m"],
  ];
  for (const [ms, text] of table) assert.equal(formatElapsed(ms), text);
});
