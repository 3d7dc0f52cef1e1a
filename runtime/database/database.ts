// The interface of a database, which the stores use, and the errors of databases.
import { RuntimeError, type RuntimeErrorCode } from "../../base/errors.ts";
import type { Operation, StoredListener } from "./operation.ts";

/** Error: the database cannot be used. Nothing was changed in it. */
export class DatabaseUnusable extends RuntimeError {
  override readonly code: RuntimeErrorCode = "storage";
}

/** Error: the database cannot store a change at present. Earlier changes are stored, and a later attempt may succeed. */
export class StorageUnavailable extends RuntimeError {
  override readonly code: RuntimeErrorCode = "storage";
}

/** Error: the database does not answer. The service reconnects by itself. */
export class DatabaseUnreachable extends StorageUnavailable {
  override readonly retryAfterSeconds = 5;
}

/** Error: this node has lost the execution or lease to another node, and must not write to it any more. */
export class LeaseLost extends RuntimeError {
  override readonly code: RuntimeErrorCode = "conflict";
  constructor(what: string) {
    super(`${what} is another machine's now`);
  }
}

/**
 * The required durability of a transaction when it returns. For PostgreSQL, "process" and "power" are the same: the
 * server's settings apply.
 */
export type Durability =
  /**
   * The transaction survives a crash of the process. A crash of a database server may lose the last transactions, too. For
   * data that no later change depends on.
   */
  | "soon"
  /** The transaction survives a crash of the process. A power cut may lose the last transactions. */
  | "process"
  /** The transaction and all earlier ones survive a power cut. */
  | "power";

/** A database that runs operations in transactions. */
export interface Database {
  /** True if the database is open for reading only. Only SQLite can be. */
  readonly isReadOnly?: boolean;
  readonly kind: "sqlite" | "postgres";
  /** The path of the database, or its address without the password, for messages. */
  readonly place: string;
  /**
   * Runs an operation in one transaction and returns its result. Rolls back if the operation throws. May run the operation
   * several times, because a conflict in the database requires a retry. Rejects with StorageUnavailable.
   */
  change<T>(durability: Durability, operation: () => Operation<T>): Promise<T>;
  /**
   * Runs an operation that only reads, and returns its result. Each statement sees the latest committed state. Rejects with
   * StorageUnavailable.
   */
  read<T>(operation: () => Operation<T>): Promise<T>;
  /** The listeners that are called after each commit of this process that stores frames or a status of an execution. */
  readonly stored: Set<StoredListener>;
  /**
   * Returns a number that is different after each change of the table of executions, by this or another process. Absent
   * for a database that other services share, because it reports their changes late.
   */
  executionsVersion?(): number;
  /** Returns the size on disk, in bytes. */
  readBytes(): Promise<number>;
  /** Returns unused disk space after large removals, if the database does not do so by itself. */
  shrink(): Promise<void>;
}
