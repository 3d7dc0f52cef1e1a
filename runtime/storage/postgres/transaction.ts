// What begins a transaction and what ends it. As much as possible travels with these two: each way to the server and back takes time.
import { createHash } from "node:crypto";
import type { Durability } from "../database.ts";
import type { Statement } from "../operation.ts";
import { type ChangeMark, markStatement } from "./change_marks.ts";
import type { Query } from "./connection.ts";

/** NOTIFY's channel, on which machines wake each other. */
export const CHANNEL = "inkling";

/** Where something outside of the storage takes part in a transaction. */
export interface OpenTransaction {
  query: Query;
  /** A statement without values and without a result, done right before the end. */
  last(text: string): void;
  /** Is done once the transaction is stored; must not throw. */
  afterwards(act: () => void): void;
}

/** A transaction, beside its own statements. */
export class Transaction {
  /** What is still to be sent at its begin. */
  #begin: string[] = [];
  readonly #last: string[] = [];
  readonly #announced = new Set<number>();
  readonly #after: (() => void)[] = [];
  /** The execution of this machine's that it is of. */
  fenced: number | undefined;

  begin(durability: Durability, mark: ChangeMark): void {
    this.#begin = ["BEGIN", markStatement(mark)];
    if (durability === "soon") this.#begin.push("SET LOCAL synchronous_commit TO off");
  }

  /** What is to be sent before a step of its operation; of a lock, that is all. Empty: nothing. */
  takeBefore(statement: Statement): string {
    const texts = this.#begin;
    this.#begin = [];
    if (statement.type === "lock") {
      texts.push(`SELECT pg_advisory_xact_lock(${lockNumber(statement.name)})`);
    }
    return texts.join("; ");
  }

  /** Tells all machines that something has changed for an execution. */
  announce(executionId: number): void {
    this.#announced.add(executionId);
  }

  last(text: string): void {
    this.#last.push(text);
  }

  afterwards(act: () => void): void {
    this.#after.push(act);
  }

  /** What ends it. Before that, nobody else sees anything of it. */
  get end(): string {
    const told = [...this.#announced].map((id) =>
      `SELECT pg_notify('${CHANNEL}', 'changed ${id}')`
    );
    return [...this.#begin, ...this.#last, ...told, "COMMIT"].join("; ");
  }

  /** It is stored. */
  stored(): void {
    for (const act of this.#after) act();
  }
}

/** Locks of PostgreSQL have numbers. A name, which a client may have chosen, is no part of a statement. */
export function lockNumber(name: string): bigint {
  return createHash("sha256").update(name).digest().readBigInt64BE();
}
