// Formats times in the local time zone for people.

/** Formats a time in the local time zone, such as `2026-01-31 08:30:00`. */
export function formatLocal(timestamp: string): string {
  const date = new Date(timestamp);
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join("-");
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(":");
  return `${day} ${time}`;
}

/** Formats a time in the local time zone without seconds, such as `2026-01-31 08:30`. */
export function formatMinute(timestamp: string): string {
  return formatLocal(timestamp).slice(0, -3);
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
