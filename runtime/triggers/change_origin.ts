// What a change of a file may come from, as far as that was known when it was noticed. Pure.

/** What is known of a change. See TriggerBreaker, who finds it out and judges by it. */
export interface ChangeOrigin {
  /** The execution that wrote it, or went on when it was noticed; 0: none did. */
  previous: number;
  /** Whether it belongs to the chain of that execution: it is known to have written it, or the path fired in that chain. */
  continues: boolean;
}

/** Of a change that comes from nobody's run. */
export const FROM_OUTSIDE: ChangeOrigin = { previous: 0, continues: false };

/** What two changes of one path, the second one later, may come from. */
export function joinOrigins(first: ChangeOrigin, second: ChangeOrigin): ChangeOrigin {
  return first.continues && !second.continues || second.previous === 0 ? first : second;
}
