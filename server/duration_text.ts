// Durations as the wire tells them: as agent files write them. runtime/durations.ts reads such texts.

const DURATION_UNITS = [["d", 86_400_000], ["h", 3_600_000], ["m", 60_000], ["s", 1_000]] as const;

/** Milliseconds as an agent file writes them: `90s` is `1m30s`, exact. */
export function toDuration(ms: number): string {
  let text = "";
  let rest = ms;
  for (const [unit, size] of DURATION_UNITS) {
    const count = Math.floor(rest / size);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * size;
  }
  if (rest > 0) text += `${rest}ms`;
  return text || "0s";
}
