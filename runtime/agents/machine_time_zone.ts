// The machine's time zone, in which a cron without one of its own is reckoned: as TZ names it, else as the system says.
import { isTimeZone } from "../config/time_zone.ts";

/** The zone, and whether TZ was of use. */
export interface MachineTimeZone {
  /** Its IANA name. */
  name: string;
  /** What TZ says, where that names no zone: the system reads it otherwise than people mean it, so it counts as UTC. */
  unknown?: string;
}

/** What to do about a TZ that names no zone. */
export const TIME_ZONE_HINT = "set TZ to a name such as Europe/Berlin";

/** The zone of a process with this variable TZ; UTC where TZ, or without it the system, names none that is known. */
export function readMachineTimeZone(variable: string | undefined): MachineTimeZone {
  if (variable === "") return { name: "UTC" };
  if (variable === undefined) {
    // Undefined, or a name that nobody knows, where the system's files make no sense.
    const name: string | undefined = Intl.DateTimeFormat().resolvedOptions().timeZone;
    return { name: name !== undefined && isTimeZone(name) ? name : "UTC" };
  }
  // As the C library has it: a colon or a path may stand before the name.
  const name = variable.replace(/^:?(?:.*\/zoneinfo\/)?(?:posix\/|right\/)?/, "");
  // A bare offset counts to the east here and to the west there.
  if (!/^[A-Za-z]/.test(name) || !isTimeZone(name)) return { name: "UTC", unknown: variable };
  return { name: new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone };
}
