// Translates the steps of an operation to statements of a PostgreSQL transaction.
import { LeaseLost } from "../../database/database.ts";
import type {
  SqlText,
  SqlValue,
  Statement,
  StoredListener,
  WaitingRun,
} from "../../database/operation.ts";
import { toPostgres, toStorable } from "./dialect.ts";
import { lockNumber, type OpenTransaction, type Transaction } from "./transaction.ts";

/** The callbacks of a node that runs executions. They must not throw, except `enqueue`. */
export interface NodeHooks {
  instanceId: string;
  /** The epochs of the executions that this node has claimed, by execution id. */
  leases: ReadonlyMap<number, number>;
  /** Creates a job for an execution in the open transaction. */
  enqueue(waiting: WaitingRun, transaction: OpenTransaction): Promise<void>;
  /** Called if another node has requested to end an execution of this node with `error`. */
  cancelled(executionId: number, error: string): void;
  /** Called instead of the listeners for stored changes if a change is committed and the ids of its frames are unknown. */
  changed?(executionId: number): void;
}

/** Receives the value that a step returns to its operation. */
type Give = (value: unknown) => void;

/** Adds the steps of operations to transactions. */
export class OperationSteps {
  readonly #stored: ReadonlySet<StoredListener>;
  readonly #node: NodeHooks | undefined;
  /** The prepared statements, by the text in the store. */
  readonly #statements = new Map<string, { name: string; text: string }>();

  constructor(stored: ReadonlySet<StoredListener>, node: NodeHooks | undefined) {
    this.#stored = stored;
    this.#node = node;
  }

  /**
   * Adds a step to a transaction. Returns true if the statements must be sent before the next step, for example because the
   * operation waits for the value that `give` receives.
   */
  add(step: Statement, transaction: Transaction, give: Give): boolean | Promise<boolean> {
    switch (step.type) {
      case "run":
      case "get":
      case "all":
        transaction.add({
          query: this.#prepare(step),
          receive: ({ rows, rowCount }) =>
            give(step.type === "run" ? rowCount : step.type === "get" ? rows[0] : rows),
        });
        return true;
      case "send": {
        const { receive } = step;
        const query = this.#prepare(step);
        return transaction.add({ query, receive: ({ rows }) => receive?.(rows) });
      }
      case "lock": {
        const values = [`${lockNumber(step.name)}`];
        const text = "SELECT pg_advisory_xact_lock($1)";
        return transaction.add({ query: { name: "lock", text, values } });
      }
      case "fence":
        if (this.#node === undefined) return false;
        addFence(this.#node, { ...step, transaction, give });
        return step.isAwaited;
      case "lease":
        return this.#node !== undefined && addLease(this.#node, step.name, transaction);
      case "enqueue":
        return this.#enqueue(step.waiting, transaction);
      case "announce": {
        const { executionId, stored } = step;
        transaction.announce(executionId);
        transaction.afterCommit((isAnswered) => {
          if (!isAnswered) this.#node?.changed?.(executionId);
          else if (stored) this.#stored.forEach((listen) => listen(executionId, stored));
        });
        return false;
      }
      case "after_commit":
        transaction.afterCommit(step.act);
        return false;
      default:
        return step satisfies never;
    }
  }

  async #enqueue(waiting: WaitingRun, transaction: Transaction): Promise<boolean> {
    await this.#node?.enqueue(waiting, {
      // The statements of pg-boss are long, so they are prepared, too.
      send: (text, values) => {
        const name = this.#named(`queue: ${text}`, () => text).name;
        transaction.add({ query: { name, text, values: [...values] } });
      },
      afterCommit: (act) => transaction.afterCommit(act),
    });
    return false;
  }

  #prepare({ sql, values }: { sql: SqlText; values: readonly SqlValue[] }) {
    const own = typeof sql === "string" ? sql : sql.postgres;
    return { ...this.#named(own, () => toPostgres(own)), values: values.map(toStorable) };
  }

  #named(key: string, textOf: () => string): { name: string; text: string } {
    const create = () => ({ name: `s${this.#statements.size}`, text: textOf() });
    return this.#statements.getOrInsertComputed(key, create);
  }
}

/** Adds the lock of an execution's row. Its value is the error of a requested cancel. */
function addFence(
  { instanceId, leases, cancelled }: NodeHooks,
  { executionId, transaction, give }: {
    executionId: number;
    transaction: Transaction;
    give: Give;
  },
): void {
  transaction.addFence(executionId, {
    values: [executionId, instanceId, leases.get(executionId) ?? -1],
    receive({ rows: [row] }) {
      if (row === undefined) throw new LeaseLost(`Execution ${executionId}`);
      if (row.cancelled !== null) cancelled(executionId, row.cancelled);
      give(row.cancelled);
    },
  });
}

/** Adds the lock of a named lease. */
function addLease({ instanceId }: NodeHooks, name: string, transaction: Transaction): boolean {
  return transaction.add({
    query: {
      name: "lease",
      text: "SELECT 1 FROM leases WHERE name = $1 AND instance_id = $2 FOR UPDATE",
      values: [name, instanceId],
    },
    receive({ rowCount }) {
      if (rowCount === 0) throw new LeaseLost(name);
    },
    isCheck: true,
  });
}
