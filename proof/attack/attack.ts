// The type of an attack: a name, a claim, and tries with the count of successes. None may succeed.

/** A hostile act that is tried against the product. */
export interface Attack {
  readonly name: string;
  /** The promise that the attack tests, as a sentence. */
  readonly claim: string;
  /** The number of tries of `deno task attack`, and of the sample in the test suite. */
  readonly tries: { readonly full: number; readonly sample: number };
  /** The reason why it cannot be tried on this system. */
  readonly impossible?: string;
  /** Makes this number of tries. Creates and removes the world that it needs. */
  run(tries: number): Promise<AttackOutcome>;
}

/** The result of an attack. */
export interface AttackOutcome {
  /** The number of real tries, at least one. */
  tried: number;
  /** One line for each kind of success, with the reached goal. Empty: the claim holds. */
  successes: string[];
  /** A figure worth reporting, such as the most memory used. */
  note?: string;
}
