// Describes cron expressions in words: `Mon to Fri at 07:30`.

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** Returns a cron expression of five fields in words, or undefined for one that needs more than a few. */
export function describeCron(cron: string): string | undefined {
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = cron.trim().split(/\s+/);
  if (month !== "*") return undefined;
  const time = describeTime(minute, hour);
  if (time === undefined) return undefined;
  if (weekday === "*" && day === "*") return time.startsWith("at") ? `every day ${time}` : time;
  if (weekday === "*") return /^\d+$/.test(day) ? `on day ${day} of the month ${time}` : undefined;
  const days = day === "*" ? describeDays(weekday) : undefined;
  return days === undefined ? undefined : `${days} ${time}`;
}

/** Returns the time of day in words, such as `at 07:30` or `every 5 minutes`. */
function describeTime(minute: string, hour: string): string | undefined {
  const step = /^\*(?:\/(\d+))?$/.exec(minute);
  if (step !== null && hour === "*") {
    return step[1] === undefined ? "every minute" : `every ${step[1]} minutes`;
  }
  if (!/^\d+$/.test(minute)) return undefined;
  const past = minute.padStart(2, "0");
  if (hour === "*") return `every hour at :${past}`;
  const hours = /^\*\/(\d+)$/.exec(hour)?.[1];
  if (hours !== undefined) return `every ${hours} hours at :${past}`;
  if (!/^\d+(,\d+)*$/.test(hour)) return undefined;
  return `at ${hour.split(",").map((one) => `${one.padStart(2, "0")}:${past}`).join(", ")}`;
}

/** Returns the days of a week in words, such as `Mon to Fri` or `Mon, Wed`. */
function describeDays(weekday: string): string | undefined {
  const parts = weekday.split(",").map((part) => {
    const names = part.split("-").map((one) =>
      DAYS[Number(one)] ?? DAYS.find((name) => name.toLowerCase() === one.toLowerCase())
    );
    return names.length > 2 || names.includes(undefined) ? undefined : names.join(" to ");
  });
  return parts.includes(undefined) ? undefined : parts.join(", ");
}
