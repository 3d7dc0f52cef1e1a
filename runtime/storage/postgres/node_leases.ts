// What one machine at a time does, by names: a lease that nobody renews is another machine's after a while.
import { NOW } from "../instances.ts";
import type { Query } from "./connection.ts";

/** Several times as long as a beat; whoever is frozen for longer has lost what it had. */
const LEASE_MS = 15_000;

const RENEW = `INSERT INTO inkling.leases (name, instance_id, until)
  SELECT name, $1, ${NOW} + ${LEASE_MS} FROM unnest($2::text[]) AS name
  ON CONFLICT (name) DO UPDATE SET instance_id = $1, until = excluded.until
  WHERE leases.instance_id = $1 OR leases.until < ${NOW}
  RETURNING name`;
const RELEASE = "DELETE FROM inkling.leases WHERE instance_id = $1 AND name <> ALL($2::text[])";

/** The leases of one machine. */
export class NodeLeases {
  readonly #instanceId: string;
  readonly #now: () => number;
  readonly #changed: () => void;
  #wanted: ReadonlySet<string> = new Set();
  /** What was wanted at the last renewal. */
  #asked: ReadonlySet<string> = new Set();
  #answer: PromiseWithResolvers<void> | undefined;
  #held: ReadonlySet<string> = new Set();
  #until = 0;

  /** `changed` hears when others are held than before; `now` is any clock that runs steadily. */
  constructor(
    { instanceId, now, changed }: { instanceId: string; now: () => number; changed: () => void },
  ) {
    this.#instanceId = instanceId;
    this.#now = now;
    this.#changed = changed;
  }

  /**
   * From the next renewal on these are asked for, and no others kept. Resolves when it is known which of them are held, or
   * that nobody can tell at present.
   */
  want(names: Iterable<string>): Promise<void> {
    this.#wanted = new Set(names);
    if (this.#wanted.symmetricDifference(this.#asked).size === 0) return Promise.resolve();
    return (this.#answer ??= Promise.withResolvers()).promise;
  }

  holds(name: string): boolean {
    return this.#held.has(name) && this.#now() < this.#until;
  }

  /** Keeps what is held, and takes what is free. */
  async renew(query: Query): Promise<void> {
    const asked = this.#wanted;
    const wanted = [...asked];
    if (wanted.length === 0 && this.#held.size === 0) return;
    // Who stood still for so long does not know who had them meanwhile, though nobody may have them now.
    if (this.#now() >= this.#until) this.#hold([], 0);
    // Before it is asked: the lease does not end sooner than that.
    const until = this.#now() + LEASE_MS;
    const { rows } = await query(RENEW, [this.#instanceId, wanted]);
    await query(RELEASE, [this.#instanceId, wanted]);
    this.#hold(rows.map((row) => (row as { name: string }).name), until);
    this.#asked = asked;
    // Otherwise others were wanted meanwhile.
    if (this.#wanted === asked) this.#settle();
  }

  /** Nothing could be renewed: what has run out meanwhile is not held any more. */
  expire(): void {
    if (this.#now() >= this.#until) this.#hold([], 0);
    this.#settle();
  }

  #settle(): void {
    this.#answer?.resolve();
    this.#answer = undefined;
  }

  #hold(names: readonly string[], until: number): void {
    const before = this.#held;
    this.#held = new Set(names);
    this.#until = until;
    if (before.symmetricDifference(this.#held).size > 0) this.#changed();
  }
}
