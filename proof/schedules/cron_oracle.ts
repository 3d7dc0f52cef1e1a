// Calculates due times independently of the product: minute by minute, with Intl for the time zone and a separate cron
// parser.

const MINUTE_MS = 60_000;
/**
 * The interval at which offsets are read: in the tested years every zone changes its clock at a quarter of an hour, UTC.
 */
const QUARTER_MS = 15 * MINUTE_MS;
const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const WEEKDAYS = "sun mon tue wed thu fri sat".split(" ");

/** Returns all due times of a cron expression after `from`, up to and including `to`, in milliseconds since the epoch. */
export function cronSlots(
  cron: string,
  options: { zone: string; from: number; to: number },
): number[] {
  const { zone, from, to } = options;
  const matches = readCron(cron);
  const offsetAt = offsets(zone);
  const isWildcard = /^(?:\S+ )?\*/.test(cron);
  const slots: number[] = [];
  // The loop begins two days before `from`, so that `shown` contains the latest wall time before `from`.
  const begin = Math.floor(from / MINUTE_MS) * MINUTE_MS - 2 * 86_400_000;
  let shown = begin + offsetAt(begin);
  for (let minute = begin + MINUTE_MS; minute <= to; minute += MINUTE_MS) {
    const wall = minute + offsetAt(minute);
    let isDue = false;
    // With `*` in the minute or hour field, every matching wall time is due, also in the repeated hour after a clock was
    // set back.
    if (isWildcard) isDue = matches(wall);
    // Otherwise each wall minute is due once, when the clock reaches it. In a repeated hour there is no new wall minute;
    // after a gap there are many.
    else {for (let fresh = shown + MINUTE_MS; fresh <= wall; fresh += MINUTE_MS) {
        isDue ||= matches(fresh);
      }}
    shown = Math.max(shown, wall);
    if (isDue && minute > from) slots.push(minute);
  }
  return slots;
}

/** Returns all due times of an interval after `from`, up to and including `to`, in milliseconds since the epoch. */
export function intervalSlots(
  everyMs: number,
  options: { anchor: number; from: number; to: number },
): number[] {
  const slots: number[] = [];
  for (let slot = options.anchor + everyMs; slot <= options.to; slot += everyMs) {
    if (slot > options.from) slots.push(slot);
  }
  return slots;
}

function offsets(zone: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const known = new Map<number, number>();
  return (instant) => {
    const quarter = Math.floor(instant / QUARTER_MS) * QUARTER_MS;
    let offset = known.get(quarter);
    if (offset === undefined) {
      const parts = Object.fromEntries(
        format.formatToParts(quarter).map(({ type, value }) => [type, Number(value)]),
      );
      const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
      offset = Date.UTC(year, month - 1, day, hour, minute, second) - quarter;
      known.set(quarter, offset);
    }
    return offset;
  };
}

/** Returns a function that is true for the wall times, given as if they were UTC, that match the expression. */
function readCron(cron: string): (wall: number) => boolean {
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = cron.split(" ");
  const minutes = readField(minute, 0, 59, []);
  const hours = readField(hour, 0, 23, []);
  const days = readField(day, 1, 31, []);
  const months = readField(month, 1, 12, MONTHS);
  const weekdays = readField(weekday, 0, 7, WEEKDAYS);
  if (weekdays.has(7)) weekdays.add(0);
  return (wall) => {
    const date = new Date(wall);
    if (!minutes.has(date.getUTCMinutes()) || !hours.has(date.getUTCHours())) return false;
    if (!months.has(date.getUTCMonth() + 1)) return false;
    const byDate = days.has(date.getUTCDate());
    const byWeekday = weekdays.has(date.getUTCDay());
    if (day === "*") return byWeekday;
    if (weekday === "*") return byDate;
    return byDate || byWeekday;
  };
}

function readField(text: string, low: number, high: number, names: readonly string[]): Set<number> {
  const values = new Set<number>();
  const valueOf = (word: string) => {
    const place = names.indexOf(word.toLowerCase());
    return place < 0 ? Number(word) : place + low;
  };
  for (const item of text.split(",")) {
    const [range = "", step = "1"] = item.split("/");
    const [from = low, to = from] = range === "*" ? [low, high] : range.split("-").map(valueOf);
    for (let value = from; value <= to; value += Number(step)) values.add(value);
  }
  return values;
}
