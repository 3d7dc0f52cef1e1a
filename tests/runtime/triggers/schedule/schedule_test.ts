import assert from "node:assert/strict";
import fc from "fast-check";
import { createSchedule, type Schedule } from "../../../../runtime/triggers/schedule/schedule.ts";
import { cronSlots } from "../../../../proof/schedules/cron_oracle.ts";
import { clockChanges, createCron } from "../../../../proof/schedules/random_world.ts";
import { Chance } from "../../../../proof/soak/chance.ts";
import { seededRandom } from "../../../support/seeded_random.ts";
import { CRON_CASES, INTERVAL_CASES } from "./schedule_cases.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const UTC = { timeZone: "UTC" };

function take(schedule: Schedule, from: number, count: number, anchor = from): number[] {
  const slots: number[] = [];
  for (let at: number | null = from; slots.length < count;) {
    at = schedule.nextAfter(at, anchor);
    if (at === null) break;
    slots.push(at);
  }
  return slots;
}

/** Returns the expected due times of a case as ISO times. */
function readSlots(text: string): string[] {
  let day = "";
  return text.split(" ").map((word) => {
    const [date, time] = word.includes("T") ? word.split("T") : [day, word];
    day = date ?? "";
    return new Date(`${day}T${time}`).toISOString();
  });
}

const toTimes = (slots: readonly number[]) => slots.map((slot) => new Date(slot).toISOString());

for (const [cron, timezone, after, expected] of CRON_CASES) {
  Deno.test(`createSchedule() ${cron} in ${timezone} after ${after}`, () => {
    const schedule = createSchedule({ cron, timezone }, UTC);
    const slots = readSlots(expected);
    const taken = take(schedule, Date.parse(after), slots.length);
    assert.deepEqual(toTimes(taken), slots);
  });
}

for (const [every, anchor, after, expected] of INTERVAL_CASES) {
  Deno.test(`createSchedule() every ${every} from ${anchor} after ${after}`, () => {
    const schedule = createSchedule({ every }, { timeZone: "Europe/Berlin" });
    const slots = readSlots(expected);
    const taken = take(schedule, Date.parse(after), slots.length, Date.parse(anchor));
    assert.deepEqual(toTimes(taken), slots);
  });
}

Deno.test("createSchedule() uses the machine's zone for a cron without a zone", () => {
  const noon = createSchedule({ cron: "0 12 * * *" }, { timeZone: "Asia/Tokyo" });
  assert.deepEqual(toTimes(take(noon, Date.parse("2026-01-01"), 1)), ["2026-01-01T03:00:00.000Z"]);
  const cron = "0 12 * * *";
  const declared = createSchedule({ cron, timezone: "UTC" }, { timeZone: "Asia/Tokyo" });
  assert.deepEqual(toTimes(take(declared, Date.parse("2026-01-01"), 1)), [
    "2026-01-01T12:00:00.000Z",
  ]);
});

Deno.test("Schedule.fingerprint is equal for different spellings of the same times", () => {
  const fingerprint = (trigger: Parameters<typeof createSchedule>[0], timeZone = "UTC") =>
    createSchedule(trigger, { timeZone }).fingerprint;
  assert.equal(fingerprint({ every: "60s" }), fingerprint({ every: "1m" }));
  assert.equal(fingerprint({ cron: "@daily" }), fingerprint({ cron: " 0  0 * * * " }));
  const found = fingerprint({ cron: "0 0 * * *" });
  assert.equal(found, fingerprint({ cron: "0 0 * * *" }, "Asia/Tokyo"));
  const different = [
    fingerprint({ every: "1m" }),
    fingerprint({ every: "2m" }),
    fingerprint({ cron: "* * * * *" }),
    fingerprint({ cron: "*/2 * * * *" }),
    fingerprint({ cron: "*/2 * * * *", timezone: "UTC" }),
    fingerprint({ cron: "*/2 * * * *", timezone: "Asia/Tokyo" }),
  ];
  assert.equal(new Set(different).size, different.length);
});

const anyTrigger = fc.oneof(
  fc.integer({ min: 1, max: 3_000_000 }).map((seconds) => ({ every: `${seconds}s` })),
  fc.record({
    cron: fc.integer({ min: 1 }).map((seed) => createCron(new Chance(seededRandom(seed)))),
    timezone: fc.constantFrom(
      "UTC",
      "Europe/Berlin",
      "America/New_York",
      "Australia/Lord_Howe",
      "Asia/Beirut",
      "Africa/Casablanca",
      "Pacific/Apia",
    ),
  }),
);
const anyInstant = fc.integer({ min: Date.UTC(2011, 10, 1), max: Date.UTC(2040, 0, 1) });

Deno.test("Schedule.slotsIn() counts exactly the slots that nextAfter() returns", () => {
  const stretch = fc.integer({ min: 0, max: 40 * DAY_MS });
  fc.assert(fc.property(anyTrigger, anyInstant, stretch, (trigger, from, length) => {
    const schedule = createSchedule(trigger, UTC);
    const anchor = from - (length % 7_919_000);
    const to = from + length;
    const walked: number[] = [];
    for (let at = schedule.nextAfter(from, anchor); at !== null && at <= to;) {
      walked.push(at);
      at = schedule.nextAfter(at, anchor);
      if (walked.length > 5_000) return;
    }
    assert.deepEqual(
      schedule.slotsIn({ from, to, anchor }),
      walked.length === 0 ? null : {
        first: walked[0],
        last: walked.at(-1),
        beforeLast: walked.at(-2) ?? null,
        count: walked.length,
      },
    );
  }));
});

Deno.test("createSchedule() agrees with a check of each minute around clock changes", () => {
  const chance = new Chance(seededRandom(6));
  for (const { zone, at } of clockChanges().filter((_, number) => number % 3 === 0)) {
    for (let time = 0; time < 2; time++) {
      const cron = time === 0 ? "* * * * *" : createCron(chance);
      const from = at + chance.between(-3 * HOUR_MS, 2 * HOUR_MS);
      const to = from + 8 * HOUR_MS;
      const expected = cronSlots(cron, { zone, from, to });
      const schedule = createSchedule({ cron, timezone: zone }, UTC);
      const why = `${cron} in ${zone} after ${new Date(from).toISOString()}`;
      assert.deepEqual(take(schedule, from, expected.length), expected, why);
      assert.equal(schedule.slotsIn({ from, to, anchor: from })?.count ?? 0, expected.length, why);
    }
  }
});

Deno.test("Schedule.slotsIn() counts a year of minutes without computing each one", () => {
  const schedule = createSchedule({ cron: "* * * * *", timezone: "Europe/Berlin" }, UTC);
  const [from, to] = [Date.UTC(2026, 0, 1), Date.UTC(2027, 0, 1)];
  // The skipped hour in spring and the repeated hour in autumn cancel out.
  const count = 365 * 1_440;
  const expected = { first: from + 60_000, last: to, beforeLast: to - 60_000, count };
  assert.deepEqual(schedule.slotsIn({ from, to, anchor: from }), expected);
});

Deno.test("createSchedule() refuses invalid triggers", () => {
  assert.throws(() => createSchedule({ cron: "0 0 31 2 *" }, UTC), TypeError);
  assert.throws(() => createSchedule({}, UTC), TypeError);
});
