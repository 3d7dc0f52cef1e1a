// Parses the schedules of GitHub Agentic Workflows: cron expressions, and words such as `daily around 14:00 on weekdays`.
import { fnv1a } from "../../../base/text/fnv1a.ts";
import type { JsonObject } from "../../../base/json.ts";
import { parseCron } from "../../../runtime/agents/triggers/cron_expression.ts";
import { interval } from "../../../runtime/config/fields.ts";

const DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const DAY_MINUTES = 24 * 60;
const EVERY = /^every (\d+) ?(m|h|d|w)(?:in(?:ute)?s?|ours?|ays?|eeks?)?$/;
const PERIOD =
  /^(daily|weekly|monthly)(?: on (\w+))?(?: (at|around|between) (.+?)(?: and (.+))?)?$/;
const TIME =
  /^(?:(midnight)|(noon)|(\d{1,2})(?::(\d\d))? ?(am|pm)?)(?: ?utc([+-])(\d{1,2})(?::(\d\d))?)?$/;

/**
 * Returns the fields of a schedule trigger, or undefined for a text that is no schedule. A time that the text leaves open
 * is chosen by `seed`, so that it is always the same for one file. Times are UTC.
 */
export function readFuzzySchedule(text: string, seed: string): JsonObject | undefined {
  const words = text.trim().toLowerCase().replace(/\s+/g, " ");
  const inUtc = (cron: string) =>
    "reason" in parseCron(cron) ? undefined : { cron, timezone: "UTC" };
  if (/^[\d*][^ ]*( [^ ]+){4}$/.test(words)) return inUtc(words);
  const hash = Number(fnv1a(seed) % 1_000_003n);
  const bare = words.replace(/ on weekdays$/, "");
  const days = bare === words ? "*" : "1-5";
  if (bare === "hourly") return inUtc(`${hash % 60} * * * ${days}`);
  const [, written = "", unit = ""] = EVERY.exec(bare) ?? [];
  const count = Number(written);
  if (count > 0 && days === "*") {
    const every = unit === "w" ? `${count * 7}d` : `${count}${unit}`;
    return interval.safeParse(every).success ? { every } : undefined;
  }
  if (count > 0 && unit === "h") return inUtc(`${hash % 60} */${count} * * ${days}`);
  if (count > 0 && unit === "m") return inUtc(`*/${count} * * * ${days}`);
  const [, period, on, word = "", first = "", second = ""] = PERIOD.exec(bare) ?? [];
  const minutes = readTime({ word, first, second }, hash);
  if (period === undefined || minutes === undefined) return undefined;
  const shift = Math.floor(minutes / DAY_MINUTES);
  const within = minutes - shift * DAY_MINUTES;
  const clock = `${within % 60} ${Math.floor(within / 60)}`;
  if (period === "weekly") {
    const day = on === undefined ? hash % 7 : DAYS.indexOf(on);
    return day < 0 ? undefined : inUtc(`${clock} * * ${(day + shift + 7) % 7}`);
  }
  if (period === "daily") {
    const isClear = on === undefined && (days === "*" || shift === 0);
    return isClear ? inUtc(`${clock} * * ${days}`) : undefined;
  }
  const day = Number(on ?? 1);
  return day >= 1 && day <= 31 && shift === 0 ? inUtc(`${clock} ${day} * *`) : undefined;
}

/** Returns minutes after midnight UTC, which may be those of another day. Without a word, the hash chooses the time. */
function readTime(
  { word, first, second }: Record<"word" | "first" | "second", string>,
  hash: number,
): number | undefined {
  if (word === "") return hash % DAY_MINUTES;
  const [from, to] = [readMoment(first), readMoment(second)];
  if (from === undefined || (word === "between") !== (to !== undefined)) return undefined;
  if (word === "at") return from;
  if (to === undefined) return from - 60 + hash % 120;
  return from + hash % Math.max(1, (to - from + DAY_MINUTES) % DAY_MINUTES);
}

function readMoment(text: string): number | undefined {
  const [whole, , noon, written, minutes = "0", half, sign, hours = "0", more = "0"] =
    TIME.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const offset = (Number(hours) * 60 + Number(more)) * (sign === "-" ? -1 : 1);
  const hour = noon === undefined ? Number(written ?? 0) : 12;
  const of24 = half === undefined ? hour : hour % 12 + (half === "pm" ? 12 : 0);
  return of24 > 23 || Number(minutes) > 59 ? undefined : of24 * 60 + Number(minutes) - offset;
}
