// Whether a cron expression can ever fire, and why not. What fires when is the triggers' business.

const FIELDS = "minute, hour, day of month, month, day of week";
const NICKNAMES = ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];

/** Whether the system knows an IANA time zone. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Why an expression is no usable schedule, as the end of a sentence, or undefined when it is one. */
export async function describeBadCron(expression: string): Promise<string | undefined> {
  const text = expression.trim();
  if (text.startsWith("@")) {
    if (!NICKNAMES.includes(text.toLowerCase())) return `must be one of ${NICKNAMES.join(", ")}`;
  } else {
    const count = text.split(/\s+/).length;
    if (count !== 5) return `must have five fields (${FIELDS}), and has ${count}`;
  }
  // Loaded for agents with a cron schedule only.
  const { Cron } = await import("croner");
  try {
    const next = new Cron(text, { mode: "5-part", paused: true }).nextRun();
    return next === null ? "never fires: no date fits it" : undefined;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const reason = error.message.replace(/^Cron\w+: /, "");
    return `is no cron expression: ${reason.charAt(0).toLowerCase()}${reason.slice(1)}`;
  }
}
