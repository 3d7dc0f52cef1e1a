// Parses past moments, such as `22:00`, `yesterday` and `2h`.
import { parseDuration } from "../../base/durations.ts";
import { DAY_MS } from "../../base/time_units.ts";
import { CommandFailure, EXIT } from "../context/exit.ts";
import { toOneLine } from "../output/sanitize.ts";
import { InvalidValue } from "./usage_error.ts";
import { MOMENT_FORMS } from "./value_type.ts";

/**
 * Parses a moment into milliseconds. A duration counts back from now; a day means its start; a time of day means its last
 * occurrence. Without a zone the time is local. Throws InvalidValue.
 */
export function parseMoment(text: string, now: number): number {
  const moment = readMoment(text.trim(), now);
  if (moment !== undefined && Number.isFinite(moment)) return moment;
  throw new InvalidValue(text, `It must be a moment: ${MOMENT_FORMS}.`);
}

function readMoment(text: string, now: number): number | undefined {
  const duration = parseDuration(text);
  if (duration !== undefined) return now - duration;
  if (text === "today") return midnight(now, 0);
  if (text === "yesterday") return midnight(now, -1);
  const time = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text);
  if (time !== null) {
    const at = new Date(now);
    at.setHours(Number(time[1]), Number(time[2]), 0, 0);
    if (at.getTime() > now) at.setDate(at.getDate() - 1);
    return at.getTime();
  }
  // Date.parse() would read a date without a time as UTC.
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return readDate(`${text}T00:00`, text);
  const written = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(:\d\d(\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?$/i.exec(
    text,
  );
  return written === null
    ? undefined
    : readDate(`${written[1]}T${written[2]}${written[5] ?? ""}`, written[1] ?? "");
}

/** Returns undefined for a day that does not exist: Date reads 30 February as 1 March. */
function readDate(text: string, day: string): number | undefined {
  const noon = new Date(`${day}T12:00Z`);
  if (Number.isNaN(noon.getTime()) || !noon.toISOString().startsWith(day)) return undefined;
  return Date.parse(text);
}

function midnight(now: number, days: number): number {
  const at = new Date(now);
  at.setHours(0, 0, 0, 0);
  // Noon of the wanted day, so that a clock change at night does not matter.
  const noon = new Date(at.getTime() + days * DAY_MS + DAY_MS / 2);
  noon.setHours(0, 0, 0, 0);
  return noon.getTime();
}

/** Parses the moment in an option; undefined without the option. Throws CommandFailure. */
export function readMomentOption(
  option: string,
  text: string | undefined,
  now: number,
): number | undefined {
  if (text === undefined) return undefined;
  try {
    return parseMoment(text, now);
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    const message = `${option} ${toOneLine(text)} is not understood. ${error.message}`;
    throw new CommandFailure(EXIT.usage, message, { cause: error });
  }
}
