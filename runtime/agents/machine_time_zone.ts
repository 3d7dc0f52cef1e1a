// Reads the machine's time zone, for cron expressions without one: from TZ, or else from the system.
import { isTimeZone } from "../config/time_zone.ts";

/** The machine's time zone, and the value of TZ if it is unusable. */
export interface MachineTimeZone {
  /** The IANA name of the time zone. */
  name: string;
  /**
   * The value of TZ if it names no time zone. UTC is used then, because the system would interpret such a value differently
   * from what people expect.
   */
  unknown?: string;
}

/** The remedy for a TZ that names no time zone. */
export const TIME_ZONE_HINT = "set TZ to a name such as Europe/Berlin";

/** Returns the time zone of a process with this TZ. Returns UTC if neither TZ nor the system names a known time zone. */
export function readMachineTimeZone(variable: string | undefined): MachineTimeZone {
  if (variable === "") return { name: "UTC" };
  if (variable === undefined) {
    // The name is undefined or unknown if the system's time zone files are broken.
    const name: string | undefined = Intl.DateTimeFormat().resolvedOptions().timeZone;
    return { name: name !== undefined && isTimeZone(name) ? name : "UTC" };
  }
  // The C library allows a colon or a path before the name.
  const name = variable.replace(/^:?(?:.*\/zoneinfo\/)?(?:posix\/|right\/)?/, "");
  // An offset without a name is refused: it counts eastward in ISO 8601, but westward in POSIX.
  if (!/^[A-Za-z]/.test(name) || !isTimeZone(name)) return { name: "UTC", unknown: variable };
  return { name: new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone };
}
