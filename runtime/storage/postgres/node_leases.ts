// Named leases for work that only one node may do at a time. When a lease expires, another node can acquire it.
import { NOW } from "../../database/instances.ts";
import type { Query } from "./connection.ts";

/** The duration of a lease, several times the interval of heartbeats. A node that is frozen for longer loses its leases. */
const LEASE_MS = 15_000;

const RENEW = `INSERT INTO inkling.leases (name, instance_id, until)
  SELECT name, $1, ${NOW} + ${LEASE_MS} FROM unnest($2::text[]) AS name
  ON CONFLICT (name) DO UPDATE SET instance_id = $1, until = excluded.until
  WHERE leases.instance_id = $1 OR leases.until < ${NOW}
  RETURNING name`;
const RELEASE = "DELETE FROM inkling.leases WHERE instance_id = $1 AND name <> ALL($2::text[])";

/** The leases of one node. */
export class NodeLeases {
  readonly #instanceId: string;
  readonly #now: () => number;
  readonly #changed: () => void;
  #wanted: ReadonlySet<string> = new Set();
  /** The leases that were requested at the last renewal. */
  #renewed: ReadonlySet<string> = new Set();
  #pendingRenewal: PromiseWithResolvers<void> | undefined;
  #held: ReadonlySet<string> = new Set();
  #until = 0;

  /**
   * Creates the leases of a node. `changed` is called after each change of the held leases. `now` is a monotonic clock in
   * milliseconds.
   */
  constructor(
    { instanceId, now, changed }: { instanceId: string; now: () => number; changed: () => void },
  ) {
    this.#instanceId = instanceId;
    this.#now = now;
    this.#changed = changed;
  }

  /**
   * Sets the leases that this node wants. The next renewal requests them and releases all others. Resolves after that
   * renewal, or when it failed.
   */
  setWanted(names: Iterable<string>): Promise<void> {
    this.#wanted = new Set(names);
    if (this.#wanted.symmetricDifference(this.#renewed).size === 0) return Promise.resolve();
    return (this.#pendingRenewal ??= Promise.withResolvers()).promise;
  }

  holds(name: string): boolean {
    return this.#held.has(name) && this.#now() < this.#until;
  }

  /** Renews the held leases and acquires wanted leases that are free. */
  async renew(query: Query): Promise<void> {
    const asked = this.#wanted;
    const wanted = [...asked];
    if (wanted.length === 0 && this.#held.size === 0) {
      this.#renewed = asked;
      return this.#settle();
    }
    // The leases have expired, and another node may have held them since.
    if (this.#now() >= this.#until) this.#hold([], 0);
    // Calculated before the query, so that this node never considers a lease held for longer than the database does.
    const until = this.#now() + LEASE_MS;
    const { rows } = await query(RENEW, [this.#instanceId, wanted]);
    await query(RELEASE, [this.#instanceId, wanted]);
    this.#hold(rows.map((row) => (row as { name: string }).name), until);
    this.#renewed = asked;
    // If the wanted leases have changed during the queries, their callers wait for the next renewal.
    if (this.#wanted === asked) this.#settle();
  }

  /** Handles a failed renewal: drops the leases if they have expired, and resolves pending calls of setWanted(). */
  expire(): void {
    if (this.#now() >= this.#until) this.#hold([], 0);
    this.#settle();
  }

  #settle(): void {
    this.#pendingRenewal?.resolve();
    this.#pendingRenewal = undefined;
  }

  #hold(names: readonly string[], until: number): void {
    const before = this.#held;
    this.#held = new Set(names);
    this.#until = until;
    if (before.symmetricDifference(this.#held).size > 0) this.#changed();
  }
}
