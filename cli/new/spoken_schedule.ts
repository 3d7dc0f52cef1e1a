// Parses schedules in English words, such as `every weekday at 8` or `daily at 7:30`, into fields of a trigger.
import { ownValue } from "../../base/json.ts";

/** A schedule as a field of a trigger: an interval or a cron expression. */
export type WrittenSchedule = { every: string } | { cron: string };

const DAYS: Readonly<Record<string, string>> = {
  day: "*",
  weekday: "1-5",
  workday: "1-5",
  weekend: "0,6",
  sunday: "0",
  monday: "1",
  tuesday: "2",
  wednesday: "3",
  thursday: "4",
  friday: "5",
  saturday: "6",
};
const UNITS: Readonly<Record<string, string>> = { minute: "m", min: "m", hour: "h", day: "d" };
const MOMENTS: Readonly<Record<string, [hour: number, minute: number]>> = {
  midnight: [0, 0],
  noon: [12, 0],
};

/** The accepted forms of a schedule, for error messages. */
export const SCHEDULE_FORMS =
  'an interval (30m, 1d), a cron expression (30 8 * * 1-5), or words such as "every weekday at 8"';

/** Parses an interval, a cron expression or English words. Returns undefined for a text that it does not understand. */
export function readSchedule(text: string): WrittenSchedule | undefined {
  const words = text.trim().toLowerCase();
  if (words.startsWith("@") || /^[\d*]\S*(\s+[\d*,/a-z-]+){4}$/.test(words)) {
    return { cron: text.trim() };
  }
  const spoken = words.replace(/^(run\s+)?(every|each|on)\s+/, "").replace(/^daily\b/, "day")
    .replace(/^hourly$/, "hour");
  if (/^[\d.]+[a-z]*(\d+[a-z]+)*$/.test(spoken)) return { every: spoken };
  const [, count = "1", unit = ""] = /^(\d+ +)?(minute|min|hour|day)s?$/.exec(spoken) ?? [];
  if (UNITS[unit] !== undefined) return { every: `${count.trim()}${UNITS[unit]}` };
  const [, days = "", time] = /^(.+?)\s+at\s+(.+)$/.exec(spoken) ?? [];
  const fields = readDays(days);
  const moment = time === undefined ? undefined : readTime(time);
  if (fields === undefined || moment === undefined) return undefined;
  const [hour, minute] = moment;
  return { cron: `${minute} ${hour} * * ${fields}` };
}

/** Converts the names of weekdays to a cron field, or returns undefined for an unknown name. */
function readDays(text: string): string | undefined {
  const fields = text.split(/\s*,\s*(?:and\s+)?|\s+and\s+/).map((day) => {
    const name = Object.keys(DAYS).find((one) =>
      day === one || day === `${one}s` || day.length > 2 && one.startsWith(day)
    );
    return name === undefined ? undefined : DAYS[name];
  });
  return fields.includes(undefined) ? undefined : fields.join(",");
}

function readTime(text: string): [hour: number, minute: number] | undefined {
  const named = ownValue(MOMENTS, text);
  if (named !== undefined) return named;
  const [, hours, minutes = "0", half] =
    /^(\d{1,2})(?:[:.](\d\d))?\s*(am|pm|h|o'clock)?$/.exec(text) ?? [];
  if (hours === undefined) return undefined;
  const isTwelve = half === "am" || half === "pm";
  const hour = isTwelve ? Number(hours) % 12 + (half === "pm" ? 12 : 0) : Number(hours);
  if (hour > 23 || Number(minutes) > 59 || isTwelve && Number(hours) > 12) return undefined;
  return [hour, Number(minutes)];
}
