// Creates random worlds: a schedule, and three weeks around a daylight saving change or another date, with random events of
// the service.
import { DAY_MS, HOUR_MS } from "../../base/time_units.ts";
import type { Trigger } from "../../runtime/agents/agent.ts";
import { seededRandom } from "../../tests/support/seeded_random.ts";
import { Chance } from "../soak/chance.ts";
import type { WorldEvent, WorldScript } from "./world.ts";

const WINDOW_MS = 21 * DAY_MS;
const STEP_MS = 2 * HOUR_MS;
/**
 * The maximum number of two-hour steps that the wall clock may be away from real time, because the oracle's slots reach
 * only so far.
 */
const MAX_STEPS = 12;

/** Zones whose clocks change by an hour, by half an hour, or at midnight, in both hemispheres. */
const ZONES = [
  "Europe/Berlin",
  "America/New_York",
  "Australia/Lord_Howe",
  "America/Santiago",
  "Asia/Beirut",
];
const OTHER_ZONES = ["UTC", "Asia/Kathmandu", "Pacific/Auckland", "America/St_Johns"];
const FIRST_YEAR = 2024;
const LAST_YEAR = 2031;

/** Returns every daylight saving change in ZONES from 2024 to 2031. */
export function clockChanges(): { zone: string; at: number }[] {
  return ZONES.flatMap((zone) => {
    const changes: { zone: string; at: number }[] = [];
    let next = Temporal.Instant.from(`${FIRST_YEAR}-01-01T00:00Z`).toZonedDateTimeISO(zone)
      .getTimeZoneTransition("next");
    while (next !== null && next.year <= LAST_YEAR) {
      changes.push({ zone, at: next.epochMilliseconds });
      next = next.getTimeZoneTransition("next");
    }
    return changes;
  });
}

/**
 * Returns the world with this number; the same number gives the same world. The first worlds have a daylight saving change
 * in their middle.
 */
export function createRandomWorld(number: number): WorldScript {
  const random = seededRandom((number + 1) * 2_654_435_761);
  for (let warm = 0; warm < 10; warm++) random();
  const chance = new Chance(random);
  const change = clockChanges()[number];
  const zone = change?.zone ?? chance.one([...ZONES, ...OTHER_ZONES]);
  const middle = change?.at ?? Date.UTC(chance.between(2020, 2040), chance.between(0, 11), 15);
  const from = Math.floor(middle / 1_000) * 1_000 - WINDOW_MS / 2 +
    chance.between(-48, 48) * HOUR_MS;
  const to = from + WINDOW_MS;
  return {
    trigger: createTrigger(chance),
    zone,
    from,
    to,
    events: createEvents(chance, { from, to, change: change?.at }),
    durations: Array.from({ length: 7 }, () => chance.between(0, 6) ** 4 * chance.between(0, 200)),
  };
}

function createTrigger(chance: Chance): Trigger<"schedule"> {
  const catchUp = chance.one(["once", "none"] as const);
  if (chance.between(1, 10) > 7) {
    const every = chance.one([
      `${chance.between(20, 90)}s`,
      `${chance.between(1, 90)}m`,
      `${chance.between(1, 50)}h`,
      `${chance.between(1, 3)}d`,
      "1h30m",
    ]);
    return { type: "schedule", every, catchUp };
  }
  return { type: "schedule", cron: createCron(chance), catchUp };
}

/** Returns a random cron expression. Hours in which clocks change are more frequent. */
export function createCron(chance: Chance): string {
  const list = (low: number, high: number) =>
    Array.from({ length: chance.between(1, 3) }, () => chance.between(low, high)).join(",");
  const range = (low: number, high: number) => {
    const from = chance.between(low, high);
    return `${from}-${chance.between(from, high)}`;
  };
  const step = (low: number, high: number) => `*/${chance.between(1, high - low)}`;
  const any = (low: number, high: number) =>
    chance.one([list, range, step, (l: number, h: number) => `${range(l, h)}/2`])(low, high);
  const star = (field: string) => chance.between(1, 3) === 1 ? field : "*";
  return [
    chance.one(["0", "30", "15,45", "*/15", "*", any(0, 59), list(0, 59)]),
    chance.one(["*", "0", "2", "1-3", "0-4/2", any(0, 23), list(0, 23)]),
    star(any(1, 28)),
    chance.between(1, 8) === 1 ? any(1, 12) : "*",
    star(chance.one(["mon-fri", "7", "0", "sat", any(0, 6)])),
  ].join(" ");
}

function createEvents(
  chance: Chance,
  { from, to, change }: { from: number; to: number; change: number | undefined },
): WorldEvent[] {
  const count = chance.between(4, 24);
  // Each time has other milliseconds, so that no two events coincide.
  const times = Array.from({ length: count }, (_, index) => {
    const near = change !== undefined && chance.between(1, 2) === 1;
    const [low, high] = near ? [change - 4 * HOUR_MS, change + 4 * HOUR_MS] : [from, to];
    return Math.floor(chance.between(low, high) / 1_000) * 1_000 + 17 + 31 * index;
  }).sort((a, b) => a - b);
  const events: WorldEvent[] = [];
  let isUp = true;
  let isPaused = false;
  let steps = 0;
  for (const at of times) {
    if (chance.between(1, 5) <= 2) {
      const by = steps >= MAX_STEPS || chance.between(0, 1) === 0 ? -1 : 1;
      if (steps + by < -MAX_STEPS) continue;
      steps += by;
      events.push({ at, type: "step", by: by * STEP_MS });
    } else if (!isUp) {
      isUp = true;
      events.push({ at, type: "start" });
    } else {
      const type = isPaused
        ? chance.one(["pause", "pause", "restart", "edit"] as const)
        : chance.one(["stop", "restart", "restart", "pause", "edit"] as const);
      if (type === "edit") {
        events.push({ at, type });
      } else if (type === "pause") {
        isPaused = !isPaused;
        events.push({ at, type: isPaused ? "pause" : "resume" });
      } else {
        events.push({ at, type: "stop" });
        isUp = type === "restart";
        // The service starts again after 1 to 150 seconds: a slot that is at most a minute late runs at the next start, a
        // later one does not.
        const next = times[times.indexOf(at) + 1] ?? to;
        const back = at + chance.between(1, 150) * 1_000 + 7;
        if (isUp && back < next) events.push({ at: back, type: "start" });
        else isUp = false;
      }
    }
  }
  return events;
}
