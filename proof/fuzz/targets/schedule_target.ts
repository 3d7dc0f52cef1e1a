// Fuzzes the parsing of cron expressions, intervals and durations.
import assert from "node:assert/strict";
import fc from "fast-check";
import { Cron } from "croner";
import { parseCron } from "../../../runtime/agents/triggers/cron_expression.ts";
import { parseDuration, writeDuration } from "../../../base/durations.ts";
import { createSchedule } from "../../../runtime/triggers/schedule/schedule.ts";
import { agentOf, parse } from "../../../tests/runtime/agents/parsed_file.ts";
import { createCron } from "../../schedules/random_world.ts";
import { Chance } from "../../soak/chance.ts";
import { seededRandom } from "../../../tests/support/seeded_random.ts";
import { anyText } from "../odd_text.ts";
import { defineTarget } from "../target.ts";

const ZONES = [
  ...["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Beirut"],
  ...["Africa/Casablanca", "Pacific/Apia"],
];
const FIELDS = /minute|hour|day of month|month|day of week|five fields|@yearly|no date fits|step/;

const number = fc.integer({ min: -1, max: 61 }).map(String);
const value = fc.oneof(
  number,
  fc.constantFrom("*", "mon", "JAN", "sun", "7", "0", "L", "?", "1.5", ""),
);
const item = fc.oneof(
  { weight: 4, arbitrary: value },
  { weight: 2, arbitrary: fc.tuple(value, value).map((pair) => pair.join("-")) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.oneof(fc.constant("*"), value), number).map((pair) => pair.join("/")),
  },
  { weight: 1, arbitrary: fc.tuple(value, value, number).map(([a, b, c]) => `${a}-${b}/${c}`) },
);
const field = fc.oneof(
  { weight: 3, arbitrary: fc.constant("*") },
  {
    weight: 3,
    arbitrary: fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => items.join(",")),
  },
);
const cronText = fc.oneof(
  // Most of these expressions are valid.
  {
    weight: 8,
    arbitrary: fc.integer({ min: 1 }).map((seed) => createCron(new Chance(seededRandom(seed)))),
  },
  {
    weight: 8,
    arbitrary: fc.array(field, { minLength: 5, maxLength: 5 }).map((all) => all.join(" ")),
  },
  { weight: 1, arbitrary: fc.array(field, { maxLength: 7 }).map((all) => all.join("  ")) },
  { weight: 1, arbitrary: fc.constantFrom("@daily", "@reboot", "@", " @hourly ") },
  { weight: 1, arbitrary: anyText },
);
const instant = fc.integer({ min: Date.UTC(2011, 10, 1), max: Date.UTC(2040, 0, 1) });

export const cronExpressions = defineTarget({
  name: "cron-expressions",
  claim: "a cron expression is refused with its field's name, or gives ascending times",
  cases: () => fc.tuple(cronText, fc.constantFrom(...ZONES), instant),
  check([cron, timezone, now]) {
    const parsed = parseCron(cron);
    if ("reason" in parsed) {
      assert.match(parsed.reason, FIELDS);
      return;
    }
    const schedule = createSchedule({ cron, timezone }, { timeZone: "UTC" });
    let before = now;
    for (let count = 0; count < 5; count++) {
      const next = schedule.nextAfter(before, now);
      if (next === null) break;
      assert.ok(next > before, `${next} comes after ${before}`);
      before = next;
    }
    assert.ok(before > now, "it never fires");
    // Skip ranges of days that end with `0` or `sun`: the other library refuses them.
    if (/-(0|sun)[^ ]*$/i.test(cron.trim())) return;
    const other = new Cron(cron.trim(), { mode: "5-part", paused: true, timezone: "UTC" });
    assert.ok(other.nextRun(new Date(now)) !== null, "another library never fires it");
  },
});

const unit = fc.constantFrom("w", "d", "h", "m", "s", "ms", "M", "y", "");
const amount = fc.oneof(
  fc.nat(400).map(String),
  fc.constantFrom("0", "-1", "1.5", "1e3", "99999999999999999", "٣", " 5"),
);
const durationText = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.array(fc.tuple(amount, unit), { maxLength: 4 }).map((all) => all.flat().join("")),
  },
  { weight: 2, arbitrary: fc.nat(10_000_000_000).map(writeDuration) },
  { weight: 1, arbitrary: anyText },
);

export const durations = defineTarget({
  name: "durations",
  claim:
    "a duration is parsed exactly or refused with its field's name, and an interval keeps its beat",
  cases: () => fc.tuple(durationText, instant, fc.nat(864_000_000)),
  check([text, anchor, later]) {
    const ms = parseDuration(text);
    assert.ok(ms === undefined || /^(\d+(ms|[wdhms]))+$/.test(text) && Number.isSafeInteger(ms));
    if (ms !== undefined) assert.equal(parseDuration(writeDuration(ms)), ms);
    const yaml = `trigger: {type: schedule, every: ${JSON.stringify(text)}}`;
    const result = parse(`---\n${yaml}\n---\nDo it.\n`);
    if ("diagnostics" in result) {
      // A blank text is treated as a missing value, which is an error with the name of the key.
      assert.ok(result.diagnostics.some(({ message }) => message.includes("trigger.every")), text);
      return;
    }
    assert.equal(agentOf(yaml).trigger.type, "schedule");
    assert.ok(ms !== undefined && ms >= 1_000, text);
    const schedule = createSchedule({ every: text }, { timeZone: "UTC" });
    let before = anchor + later;
    for (let count = 0; count < 3; count++) {
      const next = schedule.nextAfter(before, anchor);
      assert.ok(
        next !== null && next > before && next <= before + ms && (next - anchor) % ms === 0,
      );
      before = next;
    }
  },
});
