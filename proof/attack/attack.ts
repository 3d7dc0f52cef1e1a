// Defines an attack: a name, a claim, and a function that makes a number of tries. No try may succeed.

/** An attack on the product. */
export interface Attack {
  readonly name: string;
  /** The promise that the attack tries to break, as a sentence. */
  readonly claim: string;
  /** The number of tries for `deno task attack` (`full`) and for the test suite (`sample`). */
  readonly tries: { readonly full: number; readonly sample: number };
  /** The reason why this system cannot run the attack; absent if it can. */
  readonly impossible?: string;
  /** Makes `tries` tries and returns the successes. Creates everything that the attack needs, and removes it at the end. */
  run(tries: number): Promise<AttackOutcome>;
}

/** The number of tries and the successes of an attack. */
export interface AttackOutcome {
  /** The number of tries that were made, at least one. */
  tried: number;
  /** A sentence for each kind of success, with the reached goal; empty if the claim holds. */
  successes: string[];
  /** A measurement for the report, such as the peak memory. */
  note?: string;
}
