// Builds the statements at the begin and end of a transaction. They are combined to save round trips to the server.
import { createHash } from "node:crypto";
import type { Durability } from "../../database/database.ts";
import type { Statement } from "../../database/operation.ts";
import { type ChangeMark, markStatement } from "./change_marks.ts";
import type { Query } from "./connection.ts";

/** The NOTIFY channel of all nodes. */
export const CHANNEL = "inkling";

/** A transaction, for participants outside of the stores. */
export interface OpenTransaction {
  query: Query;
  /** Adds a statement without values and result, which runs right before the commit. */
  beforeCommit(text: string): void;
  /** Runs `act` after the commit. It must not throw. */
  afterCommit(act: () => void): void;
}

/** The state of a transaction, except its own statements. */
export class Transaction {
  /** Statements of the begin that are not sent yet. */
  #begin: string[] = [];
  readonly #last: string[] = [];
  readonly #announced = new Set<number>();
  readonly #after: (() => void)[] = [];
  /** The local execution that the transaction has locked. */
  fenced: number | undefined;

  begin(durability: Durability, mark: ChangeMark): void {
    this.#begin = ["BEGIN", markStatement(mark)];
    if (durability === "soon") this.#begin.push("SET LOCAL synchronous_commit TO off");
  }

  /** Returns the statements to send before a step of the operation, including its lock. Empty: none. */
  flushBegin(statement: Statement): string {
    const texts = this.#begin;
    this.#begin = [];
    if (statement.type === "lock") {
      texts.push(`SELECT pg_advisory_xact_lock(${lockNumber(statement.name)})`);
    }
    return texts.join("; ");
  }

  /** Notifies all nodes of a changed execution at the commit. */
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

  /** Runs the callbacks after the commit. */
  runCallbacks(): void {
    for (const act of this.#after) act();
  }
}

/** Returns the number of a lock. It is a hash, so that a name from a client never becomes part of a statement. */
export function lockNumber(name: string): bigint {
  return createHash("sha256").update(name).digest().readBigInt64BE();
}
