// Durations as people write them: `30s`, `5m`, `1h30m`, `500ms`.

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/**
 * Milliseconds of a duration text, or undefined when it is none. Units are `w d h m s ms`, largest first, each at most
 * once, whole numbers: `90s`, `1h30m`. A bare number, a sign, a fraction or a space is no duration.
 */
export function parseDuration(text: string): number | undefined {
  if (!/^(\d+w)?(\d+d)?(\d+h)?(\d+m(?!s))?(\d+s)?(\d+ms)?$/.test(text) || text === "") {
    return undefined;
  }
  let total = 0;
  for (const [, count, unit] of text.matchAll(/(\d+)(ms|[wdhms])/g)) {
    total += Number(count) * (UNIT_MS[unit!] ?? 0);
  }
  return Number.isSafeInteger(total) ? total : undefined;
}

/** A duration for people: `850ms`, `12.3s`, `4m 05s`, `2h 03m`, `3d 04h`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)}ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1_000);
  const pair = (big: number, bigUnit: string, small: number, smallUnit: string) =>
    `${big}${bigUnit} ${String(small).padStart(2, "0")}${smallUnit}`;
  if (seconds < 3_600) return pair(Math.floor(seconds / 60), "m", seconds % 60, "s");
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1_440) return pair(Math.floor(minutes / 60), "h", minutes % 60, "m");
  const hours = Math.floor(minutes / 60);
  return pair(Math.floor(hours / 24), "d", hours % 24, "h");
}
