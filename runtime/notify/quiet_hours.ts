// Quiet hours by the local wall clock, so that daylight saving time does not shift them.
import type { QuietHours } from "../config/notify_schema.ts";

/**
 * Returns whether messages wait at this instant. `from` is included, `to` is not; the hours cross midnight if `to` is
 * before `from`.
 */
export function isQuiet(now: number, quiet: QuietHours, machineZone: string): boolean {
  const { hour, minute } = Temporal.Instant.fromEpochMilliseconds(now)
    .toZonedDateTimeISO(quiet.timezone ?? machineZone);
  const time = hour * 60 + minute;
  const [from, to] = [minutesOf(quiet.from), minutesOf(quiet.to)];
  return from < to ? from <= time && time < to : from <= time || time < to;
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
}
