// Whether an hour is quiet: by what the clock on the wall shows, so that a change of summer time moves nothing.
import type { QuietHours } from "../config/notify_schema.ts";

/** Whether messages wait at this instant. `from` is quiet, `to` is not any more; over midnight where `to` comes first. */
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
