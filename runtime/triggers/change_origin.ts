// What a change of a file may come from, as far as that was known when it was noticed. Pure.

/** What is known of a change. See TriggerBreaker and WatchLoopDetector, who fill it in and judge by it. */
export interface ChangeOrigin {
  /** How long the longest chain of runs was that went on around it; 0: nothing ran. */
  around: number;
  /** The execution that is known to have written it; 0: none is. */
  writer: number;
  /** Whether it may come from the agent's own runs, by the time at which it was noticed. */
  generation: number;
  /** For how long watch runs had been going on when it was noticed, in milliseconds. */
  noticedAt: number;
}

/** Of a change that comes from nobody's run. */
export const FROM_OUTSIDE: ChangeOrigin = { around: 0, writer: 0, generation: 0, noticedAt: 0 };

/** What two changes of one path may come from. */
export function joinOrigins(a: ChangeOrigin, b: ChangeOrigin): ChangeOrigin {
  const later = a.generation > b.generation ? a : b;
  return {
    around: Math.max(a.around, b.around),
    writer: Math.max(a.writer, b.writer),
    generation: later.generation,
    noticedAt: later.noticedAt,
  };
}
