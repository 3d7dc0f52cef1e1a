// Time zones by their names.

/** Whether the system knows an IANA time zone. */
export function isTimeZone(name: string): boolean {
  try {
    // Both are asked: their lists of zones differ, and local times are shown by one and reckoned by the other.
    new Intl.DateTimeFormat("en", { timeZone: name });
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
