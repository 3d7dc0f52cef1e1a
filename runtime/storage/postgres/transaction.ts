// The statements of a transaction. Those whose results nobody waits for are collected and sent together with the next one
// that has a result, which saves round trips.
// @ts-types="@types/pg"
import type { QueryConfig, QueryResult } from "pg";
import { createHash } from "node:crypto";
import type { Durability } from "../../database/database.ts";
import { type ChangeMark, WRITE_MARK } from "./change_marks.ts";

/** The NOTIFY channel of all nodes. */
export const CHANNEL = "inkling";

/** The maximum number of collected statements. The server answers them before further ones are sent. */
const MAX_PENDING = 100;

/** The interface of a transaction for code outside of the stores, such as the queue. */
export interface OpenTransaction {
  /** Adds a statement whose result nobody needs. */
  send(text: string, values: readonly unknown[]): void;
  /** Runs `act` after the commit. `act` must not throw. */
  afterCommit(act: () => void): void;
}

/** A statement that was not sent yet. */
export interface PendingStatement {
  query: QueryConfig;
  /** Receives the result. If it throws, the transaction is rolled back. */
  receive?: (result: QueryResult) => void;
  /** True if the commit may be sent only after `receive` has accepted the result. */
  isCheck?: boolean;
}

/** The state of an open transaction. */
export class Transaction {
  #pending: PendingStatement[] = [];
  /** The mark of the transaction, until its statement is added. */
  #mark: ChangeMark | undefined;
  readonly #announced = new Set<number>();
  readonly #after: ((isAnswered: boolean) => void)[] = [];
  /** The id of the execution whose row this transaction has locked; undefined if there is none. */
  fenced: number | undefined;

  begin(durability: Durability, mark: ChangeMark): void {
    const text = durability === "soon" ? "BEGIN; SET LOCAL synchronous_commit TO off" : "BEGIN";
    this.#pending.push({ query: { text } });
    this.#mark = mark;
  }

  /** Adds a statement. Returns true if the transaction has to send its statements before it adds another one. */
  add(statement: PendingStatement): boolean {
    this.#addMark();
    this.#pending.push(statement);
    return this.#pending.length >= MAX_PENDING;
  }

  /** Adds the lock of an execution's row. Its statement also writes the mark if the transaction has not done so yet. */
  addFence(executionId: number, { values, receive }: {
    values: readonly unknown[];
    receive: (result: QueryResult) => void;
  }): void {
    const mark = this.#mark;
    this.#mark = undefined;
    this.fenced = executionId;
    const query = mark === undefined
      ? { name: "fence", text: fenceText(1), values: [...values] }
      : {
        name: "first fence",
        text: `WITH marked AS (${WRITE_MARK}) ${fenceText(3)}`,
        values: [mark.row, mark.number, ...values],
      };
    this.#pending.push({ query, receive, isCheck: true });
  }

  /** Returns the collected statements. They count as sent. */
  take(): PendingStatement[] {
    const taken = this.#pending;
    this.#pending = [];
    return taken;
  }

  /** Returns true if the server must answer the collected statements before the commit is sent. */
  get hasChecks(): boolean {
    this.#addMark();
    return this.#pending.some(({ isCheck }) => isCheck);
  }

  /** Adds a notification about a changed execution. All nodes get it at the commit. */
  announce(executionId: number): void {
    this.#announced.add(executionId);
  }

  /** Adds a callback for after the commit. Its parameter is false if the results of the last statements were lost. */
  afterCommit(act: (isAnswered: boolean) => void): void {
    this.#after.push(act);
  }

  /** The statements that end and commit the transaction. */
  get end(): string {
    const told = [...this.#announced].map((id) =>
      `SELECT pg_notify('${CHANNEL}', 'changed ${id}')`
    );
    return [...told, "COMMIT"].join("; ");
  }

  /** Runs the callbacks added by afterCommit(). */
  runCallbacks(isAnswered: boolean): void {
    for (const act of this.#after) act(isAnswered);
  }

  #addMark(): void {
    if (this.#mark === undefined) return;
    const { row, number } = this.#mark;
    this.#mark = undefined;
    const query = { name: "mark", text: WRITE_MARK, values: [row, number] };
    this.#pending.push({ query, isCheck: true });
  }
}

/** Returns SQL that locks the row of an execution of this node. `first` is the number of its first parameter. */
function fenceText(first: number): string {
  const [id, owner, epoch] = [0, 1, 2].map((offset) => `$${first + offset}`);
  return `SELECT cancelled FROM executions WHERE id = ${id} AND instance_id = ${owner} AND epoch = ${epoch} FOR UPDATE`;
}

/**
 * Returns the number of an advisory lock. It is a hash of the name, so that a name from a client never becomes part of a
 * statement.
 */
export function lockNumber(name: string): bigint {
  return createHash("sha256").update(name).digest().readBigInt64BE();
}
