// Parses the schedules of GitHub Agentic Workflows: cron expressions, and words such as `daily around 14:00 on weekdays`.
import { fnv1a } from "../../../runtime/config/fnv1a.ts";
import type { JsonObject } from "../../../base/json.ts";

const DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const DAY_MINUTES = 24 * 60;
const MOMENTS: ReadonlyMap<string, number> = new Map([["midnight", 0], ["noon", 12 * 60]]);
/** Matches the units of an interval that `every` has, too. */
const UNIT = /^([mh])(?:inutes?|ours?)?$/;

/**
 * Returns the fields of a schedule trigger, or undefined for a text that is no schedule. A time that the text leaves open
 * is chosen by `seed`, so that it is always the same for one file. Times are UTC.
 */
export function readFuzzySchedule(text: string, seed: string): JsonObject | undefined {
  const words = text.trim().toLowerCase().replace(/\s+/g, " ");
  if (/^[\d*][^ ]*( [^ ]+){4}$/.test(words)) return { cron: words, timezone: "UTC" };
  const hash = Number(fnv1a(seed) % 1_000_003n);
  const [, bare = words, weekdays] = /^(.*?)( on weekdays)?$/.exec(words) ?? [];
  const days = weekdays === undefined ? "*" : "1-5";
  const [, every, unit = ""] = /^every (\d+) ?([a-z]+)$/.exec(bare) ?? [];
  const minute = hash % 60;
  if (bare === "hourly") return { cron: `${minute} * * * ${days}`, timezone: "UTC" };
  if (every !== undefined) return toInterval(Number(every), unit, { days, minute });
  const [, period, rest = ""] = /^(daily|weekly|monthly)(.*)$/.exec(bare) ?? [];
  if (period === undefined) return undefined;
  const [, on, time = ""] = /^(?: on (\w+))?(.*)$/.exec(rest) ?? [];
  const minutes = readTime(time.trim(), hash);
  if (minutes === undefined) return undefined;
  const shift = Math.floor(minutes / DAY_MINUTES);
  const within = minutes - shift * DAY_MINUTES;
  const clock = `${within % 60} ${Math.floor(within / 60)}`;
  if (period === "daily") {
    if (on !== undefined || days !== "*" && shift !== 0) return undefined;
    return { cron: `${clock} * * ${days}`, timezone: "UTC" };
  }
  if (period === "monthly") {
    const day = Number(on ?? 1);
    if (!(day >= 1 && day <= 31) || shift !== 0) return undefined;
    return { cron: `${time === "" ? "0 0" : clock} ${day} * *`, timezone: "UTC" };
  }
  const day = on === undefined ? hash % 7 : DAYS.indexOf(on);
  return day < 0 ? undefined : { cron: `${clock} * * ${(day + shift + 7) % 7}`, timezone: "UTC" };
}

function toInterval(
  count: number,
  unit: string,
  { days, minute }: { days: string; minute: number },
): JsonObject | undefined {
  const [, short] = UNIT.exec(unit) ?? [];
  if (count < 1) return undefined;
  if (short !== undefined) {
    if (days === "*") return { every: `${count}${short}` };
    const step = count === 1 ? "*" : `*/${count}`;
    const clock = short === "h" ? `${minute} ${step}` : `${step} *`;
    return { cron: `${clock} * * ${days}`, timezone: "UTC" };
  }
  if (days !== "*") return undefined;
  if (/^d(?:ays?)?$/.test(unit)) return { every: `${count}d` };
  if (/^w(?:eeks?)?$/.test(unit)) return { every: `${count * 7}d` };
  if (!/^mo(?:nths?)?$/.test(unit)) return undefined;
  return { cron: `0 0 1 ${count === 1 ? "*" : `*/${count}`} *`, timezone: "UTC" };
}

/** Returns minutes after midnight UTC for `at 9am`, `around 14:00 utc+2`, `between 9:00 and 17:00`, or any time for "". */
function readTime(text: string, hash: number): number | undefined {
  if (text === "") return hash % DAY_MINUTES;
  const [, first, second] = /^between (.+) and (.+)$/.exec(text) ?? [];
  if (first !== undefined && second !== undefined) {
    const [from, to] = [readMoment(first), readMoment(second)];
    if (from === undefined || to === undefined) return undefined;
    return from + hash % Math.max(1, (to - from + DAY_MINUTES) % DAY_MINUTES);
  }
  const [, word, moment = ""] = /^(at|around) (.+)$/.exec(text) ?? [];
  const at = readMoment(moment);
  if (at === undefined) return undefined;
  return word === "around" ? at - 60 + hash % 120 : at;
}

function readMoment(text: string): number | undefined {
  const [, time = text, sign, hours = "0", minutes = "0"] =
    /^(.+?) ?utc([+-])(\d{1,2})(?::(\d\d))?$/.exec(text) ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -1 : 1);
  const local = MOMENTS.get(time) ?? readClock(time);
  return local === undefined ? undefined : local - offset;
}

function readClock(text: string): number | undefined {
  const [, hours, minutes = "0", half] = /^(\d{1,2})(?::(\d\d))? ?(am|pm)?$/.exec(text) ?? [];
  if (hours === undefined) return undefined;
  const hour = half === undefined ? Number(hours) : Number(hours) % 12 + (half === "pm" ? 12 : 0);
  return hour > 23 || Number(minutes) > 59 ? undefined : hour * 60 + Number(minutes);
}
