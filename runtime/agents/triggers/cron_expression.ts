// Parser of cron expressions in the standard five-field dialect.
//
// Decision: Inkling parses the expressions and calculates their times itself (see triggers/schedule/cron_calendar.ts). A
// service that was down must count missed times without stepping through them. Messages must point at the wrong part of
// an expression. Rejected: croner, which only finds the next and the last times; the tests compare with it.

/** A parsed expression, field by field. Every list is in ascending order. */
export interface CronExpression {
  /** The five fields with one space between them. Expressions that differ only in spelling have equal texts. */
  text: string;
  minutes: readonly number[];
  hours: readonly number[];
  /** The days of the month, beginning at 1. */
  days: readonly number[];
  /** The months, beginning at 1. */
  months: readonly number[];
  /** The days of the week. 0 is Sunday. */
  weekdays: readonly number[];
  /** True if neither the day of month nor the day of week is `*`. Then a day matches if one of the two fields matches. */
  either: boolean;
  /**
   * True if minute or hour begins with `*`. Such a schedule follows the wall clock during a clock change, as in cron(8).
   */
  isWildcard: boolean;
}

interface Field {
  name: string;
  lowest: number;
  highest: number;
  /** The names of the field's values, beginning with the lowest value. */
  names?: readonly string[];
}

const MINUTE: Field = { name: "minute", lowest: 0, highest: 59 };
const HOUR: Field = { name: "hour", lowest: 0, highest: 23 };
const DAY: Field = { name: "day of month", lowest: 1, highest: 31 };
const MONTH: Field = {
  name: "month",
  lowest: 1,
  highest: 12,
  names: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
};
const WEEKDAY: Field = {
  name: "day of week",
  lowest: 0,
  highest: 7,
  names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"],
};
const FIELDS = [MINUTE, HOUR, DAY, MONTH, WEEKDAY];

const NICKNAMES: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

const LONGEST_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Parses an expression: lists, ranges, steps, names of months and weekdays in any case, 0 and 7 for Sunday, and
 * nicknames such as `@daily`. Returns a reason for an invalid expression, as the end of a sentence that begins with
 * the field.
 */
export function parseCron(expression: string): CronExpression | { reason: string } {
  const given = expression.trim().toLowerCase();
  const text = given.startsWith("@") ? NICKNAMES[given] : given;
  if (text === undefined) {
    return { reason: `must be one of ${Object.keys(NICKNAMES).join(", ")}` };
  }
  const parts = text.split(/\s+/);
  if (parts.length !== FIELDS.length) {
    const names = FIELDS.map(({ name }) => name).join(", ");
    return { reason: `must have five fields (${names}), and has ${parts.length}` };
  }
  const lists: number[][] = [];
  for (const [index, field] of FIELDS.entries()) {
    const values = parseField(parts[index] ?? "", field);
    if (typeof values === "string") return { reason: `is not a valid cron expression: ${values}` };
    lists.push(values);
  }
  const [minutes = [], hours = [], days = [], months = [], sundays = []] = lists;
  const weekdays = ascending(sundays.map((day) => day % 7));
  const either = parts[2] !== "*" && parts[4] !== "*";
  const fits = either ||
    months.some((month) => (days[0] ?? 32) <= (LONGEST_MONTHS[month - 1] ?? 0));
  if (!fits) return { reason: "never fires: no date fits it" };
  const isWildcard = parts.slice(0, 2).some((part) => part.startsWith("*"));
  return { text: parts.join(" "), minutes, hours, days, months, weekdays, either, isWildcard };
}

/**
 * Returns a replacement for an expression of another program that parseCron() refuses: an expression with a time zone, an
 * interval, seconds, a year, `?`, or full names of days and months. Undefined for any other expression.
 */
export function cronRemedy(expression: string): string | undefined {
  const text = expression.trim();
  const [, zone, zoned] = /^(?:CRON_)?TZ=(\S+)\s+(.+)$/i.exec(text) ?? [];
  if (zone !== undefined && zoned !== undefined) {
    return `write cron: "${cronRewrite(zoned) ?? zoned}" and timezone: ${zone}`;
  }
  const [, interval] = /^@every\s+(\S+)$/i.exec(text) ?? [];
  if (interval !== undefined) return `write every: ${interval} instead of cron`;
  if (/^@(?:reboot|startup)$/i.test(text)) return "no trigger fires when the service starts";
  const rewritten = cronRewrite(text);
  if (rewritten !== undefined) return `write "${rewritten}"`;
  return /(?:^|[\s,])(?:\d*[LW]|LW|\d+#\d)(?=[\s,]|$)/i.test(text)
    ? "L, W and # are not known: fire on more days, and let the agent check the date"
    : undefined;
}

/** Converts another program's expression to the standard dialect. Undefined if that is impossible or changes nothing. */
function cronRewrite(expression: string): string | undefined {
  const inner = /^cron\((.*)\)$/i.exec(expression)?.[1]?.trim();
  const given = (inner ?? expression).toLowerCase();
  const parts = given.replaceAll("?", "*").split(/\s+/);
  const isQuartz = inner !== undefined || given.includes("?") || parts.length === 7;
  // The last of seven fields is a year. The first of six fields is the seconds, which must be a number to be dropped.
  if (parts.length === 7 || inner !== undefined) parts.pop();
  if (parts.length === 6 && !/^\d+$/.test(parts.shift() ?? "")) return undefined;
  // In Quartz, the number of Sunday is 1, so numbers of weekdays would have another meaning.
  if (isQuartz && /\d/.test(parts[4] ?? "")) return undefined;
  const named = parts.map((part) => part.replace(/[a-z]{4,}/g, (word) => word.slice(0, 3)));
  const rewritten = named.join(" ");
  const isSame = rewritten === expression.toLowerCase();
  return isSame || "reason" in parseCron(rewritten) ? undefined : rewritten;
}

/** Returns the values of a field in ascending order, or the reason why the field is invalid. */
function parseField(text: string, field: Field): number[] | string {
  const values: number[] = [];
  for (const item of text.split(",")) {
    const list = parseItem(item, field);
    if (typeof list === "string") return list;
    values.push(...list);
  }
  return ascending(values);
}

/** Parses `*`, a value or a range, with or without a step. Returns the values, or the reason why the text is invalid. */
function parseItem(item: string, field: Field): number[] | string {
  const [, range = "", step] = /^([^/]*)(?:\/(.*))?$/.exec(item) ?? [];
  const bounds = range === "*" ? boundsOf(field) : parseRange(range, field);
  if (typeof bounds === "string") return bounds;
  const [from, to] = bounds;
  if (step === undefined) return sequence(from, to, 1);
  const size = boundsOf(field)[1] - field.lowest + 1;
  if (!/^\d+$/.test(step) || Number(step) < 1 || Number(step) > size) {
    return `the step of ${field.name} must be a number from 1 to ${size}: ${item}`;
  }
  if (range !== "*" && !range.includes("-")) {
    return `a step needs a range or *: write ${range}-${boundsOf(field)[1]}/${step} for ${item}`;
  }
  return sequence(from, to, Number(step));
}

function parseRange(range: string, field: Field): [number, number] | string {
  const words = range.split("-");
  const [from, last] = [words.at(0), words.at(-1)].map((word = "") => parseValue(word, field));
  if (words.length > 2 || from === undefined || last === undefined) {
    return `invalid value for ${field.name}: ${range === "" ? "nothing" : range}`;
  }
  // At the end of a range, Sunday is the last day of the week.
  const to = field === WEEKDAY && last === 0 && from > 0 ? 7 : last;
  if (from <= to) return [from, to];
  const [lowest, highest] = boundsOf(field);
  const untilEnd = from > highest ? "" : `${from}-${highest},`;
  return `the range ${range} of ${field.name} runs backwards: write ${untilEnd}${lowest}-${to}`;
}

/** Parses a number or a name as a value of the field. Undefined for any other text. */
function parseValue(word: string, field: Field): number | undefined {
  const place = field.names?.indexOf(word) ?? -1;
  if (place >= 0) return place + field.lowest;
  const value = /^\d{1,2}$/.test(word) ? Number(word) : NaN;
  return value >= field.lowest && value <= field.highest ? value : undefined;
}

/** Returns the lowest and highest value that `*` stands for. Weekday 7 is Sunday like 0, so `*` ends at 6. */
function boundsOf(field: Field): [number, number] {
  return [field.lowest, field === WEEKDAY ? 6 : field.highest];
}

function sequence(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, k) => from + k * step);
}

function ascending(values: readonly number[]): number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}
