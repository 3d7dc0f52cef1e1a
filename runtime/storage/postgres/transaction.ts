// Builds the statements at the beginning and end of a transaction. Consecutive statements are sent together to save round
// trips.
import { createHash } from "node:crypto";
import type { Durability } from "../../database/database.ts";
import type { Statement } from "../../database/operation.ts";
import { type ChangeMark, markStatement } from "./change_marks.ts";
import type { Query } from "./connection.ts";

/** The NOTIFY channel of all nodes. */
export const CHANNEL = "inkling";

/** The interface of a transaction for code outside of the stores, such as the queue. */
export interface OpenTransaction {
  query: Query;
  /** Adds a statement that runs just before the commit. It has no parameters and no result. */
  beforeCommit(text: string): void;
  /** Runs `act` after the commit. `act` must not throw. */
  afterCommit(act: () => void): void;
}

/** The state of an open transaction. */
export class Transaction {
  /** The first statements of the transaction that are not sent yet. */
  #begin: string[] = [];
  readonly #last: string[] = [];
  readonly #announced = new Set<number>();
  readonly #after: (() => void)[] = [];
  /** The id of the execution whose row this transaction has locked; undefined if there is none. */
  fenced: number | undefined;

  begin(durability: Durability, mark: ChangeMark): void {
    this.#begin = ["BEGIN", markStatement(mark)];
    if (durability === "soon") this.#begin.push("SET LOCAL synchronous_commit TO off");
  }

  /**
   * Returns the statements to send before a statement of the operation: unsent first statements, and the lock if
   * `statement` is one. An empty string if there are none.
   */
  flushBegin(statement: Statement): string {
    const texts = this.#begin;
    this.#begin = [];
    if (statement.type === "lock") {
      texts.push(`SELECT pg_advisory_xact_lock(${lockNumber(statement.name)})`);
    }
    return texts.join("; ");
  }

  /** Adds a notification about a changed execution. All nodes get it at the commit. */
  announce(executionId: number): void {
    this.#announced.add(executionId);
  }

  beforeCommit(text: string): void {
    this.#last.push(text);
  }

  afterCommit(act: () => void): void {
    this.#after.push(act);
  }

  /** The statements that end and commit the transaction. */
  get end(): string {
    const told = [...this.#announced].map((id) =>
      `SELECT pg_notify('${CHANNEL}', 'changed ${id}')`
    );
    return [...this.#begin, ...this.#last, ...told, "COMMIT"].join("; ");
  }

  /** Runs the callbacks added by afterCommit(). */
  runCallbacks(): void {
    for (const act of this.#after) act();
  }
}

/**
 * Returns the number of an advisory lock. It is a hash of the name, so that a name from a client never becomes part of a
 * statement.
 */
export function lockNumber(name: string): bigint {
  return createHash("sha256").update(name).digest().readBigInt64BE();
}
