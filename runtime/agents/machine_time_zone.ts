// The machine's time zone, for cron expressions without one: TZ, or else the system's zone.
import { isTimeZone } from "../config/time_zone.ts";

/** The zone, and the unusable value of TZ if there is one. */
export interface MachineTimeZone {
  /** Its IANA name. */
  name: string;
  /** The value of TZ when it names no zone. The system reads it otherwise than people mean it, so UTC is used. */
  unknown?: string;
}

/** The remedy for a TZ that names no zone. */
export const TIME_ZONE_HINT = "set TZ to a name such as Europe/Berlin";

/** Returns the time zone of a process with this TZ; UTC when neither TZ nor the system names a known zone. */
export function readMachineTimeZone(variable: string | undefined): MachineTimeZone {
  if (variable === "") return { name: "UTC" };
  if (variable === undefined) {
    // Undefined or an unknown name when the system's zone files are broken.
    const name: string | undefined = Intl.DateTimeFormat().resolvedOptions().timeZone;
    return { name: name !== undefined && isTimeZone(name) ? name : "UTC" };
  }
  // The C library allows a colon or a path before the name.
  const name = variable.replace(/^:?(?:.*\/zoneinfo\/)?(?:posix\/|right\/)?/, "");
  // A bare offset counts eastward in ISO 8601 and westward in POSIX.
  if (!/^[A-Za-z]/.test(name) || !isTimeZone(name)) return { name: "UTC", unknown: variable };
  return { name: new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone };
}
