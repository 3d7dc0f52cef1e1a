// Checks quiet hours against the local time of day, so that daylight saving time does not shift them.
import type { QuietHours } from "../config/notify_schema.ts";

/**
 * Returns true if messages wait at this time because of quiet hours. `from` is part of them, `to` is not. If `to` is before
 * `from`, they include midnight.
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
