// An attack: a name, what it claims, and tries that count how often it succeeded. None may.

/** Something hostile that is tried against the product. */
export interface Attack {
  readonly name: string;
  /** What holds against it, as a sentence. */
  readonly claim: string;
  /** How many tries `deno task attack` makes, and how many the sample in the suite makes. */
  readonly tries: { readonly full: number; readonly sample: number };
  /** Why it cannot be tried on this system. */
  readonly impossible?: string;
  /** Tries so many times; the world that it needs is made and removed in here. */
  run(tries: number): Promise<AttackOutcome>;
}

/** What came of an attack. */
export interface AttackOutcome {
  /** What was really tried, at least once. */
  tried: number;
  /** One line for each kind of success, with what was reached. None: the claim holds. */
  successes: string[];
  /** A figure worth telling, such as the most memory taken. */
  note?: string;
}
