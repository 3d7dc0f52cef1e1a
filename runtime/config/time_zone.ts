// Checks the names of time zones.

/** Returns true if the system knows an IANA time zone. */
export function isTimeZone(name: string): boolean {
  try {
    // Intl and Temporal must both know the zone, because their lists differ. Intl formats local times, Temporal calculates
    // them.
    new Intl.DateTimeFormat("en", { timeZone: name });
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** The most used time zones of Windows and their IANA names, from the Unicode CLDR (windowsZones.xml, territory 001). */
const WINDOWS_ZONES: Readonly<Record<string, string>> = {
  "AUS Eastern": "Australia/Sydney",
  "Arabian": "Asia/Dubai",
  "Argentina": "America/Buenos_Aires",
  "Central America": "America/Guatemala",
  "Central Europe": "Europe/Budapest",
  "Central European": "Europe/Warsaw",
  "Central": "America/Chicago",
  "China": "Asia/Shanghai",
  "E. Europe": "Europe/Chisinau",
  "E. South America": "America/Sao_Paulo",
  "Eastern": "America/New_York",
  "Egypt": "Africa/Cairo",
  "FLE": "Europe/Kiev",
  "GMT": "Europe/London",
  "GTB": "Europe/Bucharest",
  "Greenwich": "Atlantic/Reykjavik",
  "India": "Asia/Calcutta",
  "Israel": "Asia/Jerusalem",
  "Korea": "Asia/Seoul",
  "Mountain": "America/Denver",
  "New Zealand": "Pacific/Auckland",
  "Pacific SA": "America/Santiago",
  "Pacific": "America/Los_Angeles",
  "Romance": "Europe/Paris",
  "Russian": "Europe/Moscow",
  "SA Pacific": "America/Bogota",
  "SE Asia": "Asia/Bangkok",
  "Singapore": "Asia/Singapore",
  "South Africa": "Africa/Johannesburg",
  "Taipei": "Asia/Taipei",
  "Tokyo": "Asia/Tokyo",
  "Turkey": "Europe/Istanbul",
  "US Mountain": "America/Phoenix",
  "W. Australia": "Australia/Perth",
  "W. Europe": "Europe/Berlin",
};

/**
 * Returns a hint with the IANA name for a Windows name of a time zone ("W. Europe Standard Time"), or undefined for other
 * names.
 */
export function zoneOfWindows(name: string): string | undefined {
  const [, short] = /^(.+) (?:Standard|Daylight) Time$/i.exec(name.trim()) ?? [];
  if (short === undefined) return undefined;
  const known = Object.keys(WINDOWS_ZONES).find((one) => one.toLowerCase() === short.toLowerCase());
  return known === undefined
    ? "that is a name of Windows: write the IANA name, for instance Europe/Paris"
    : `that is a name of Windows: write ${WINDOWS_ZONES[known]}`;
}
