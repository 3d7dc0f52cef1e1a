// The interface of a database for the stores, and the errors of databases.
import { RuntimeError, type RuntimeErrorCode } from "../../base/errors.ts";
import type { Operation } from "./operation.ts";
import type { StoredListeners } from "./stored_listeners.ts";

/** Error: the database cannot be used. Nothing was changed in it. */
export class DatabaseUnusable extends RuntimeError {
  override readonly code: RuntimeErrorCode = "storage";
}

/** Error: a change cannot be stored now. Earlier changes are safe, and a later attempt may succeed. */
export class StorageUnavailable extends RuntimeError {
  override readonly code: RuntimeErrorCode = "storage";
}

/** Error: the database does not answer. The service reconnects by itself. */
export class DatabaseUnreachable extends StorageUnavailable {
  override readonly retryAfterSeconds = 5;
}

/** Error: another node has acquired the execution or lease of this node, which must not write to it any more. */
export class LeaseLost extends RuntimeError {
  override readonly code: RuntimeErrorCode = "conflict";
  constructor(what: string) {
    super(`${what} is another machine's now`);
  }
}

/** The durability of a transaction at its return. PostgreSQL uses its own settings, except for "soon". */
export type Durability =
  /** As "process"; a crash of a database server may also lose the last transactions. For data that later changes do not depend on. */
  | "soon"
  /** Survives a crash of the process. A power cut may lose the last transactions. */
  | "process"
  /** Survives a power cut, together with all earlier transactions. */
  | "power";

/** A database that runs operations. */
export interface Database {
  readonly kind: "sqlite" | "postgres";
  /** The place of the database, for people: a path, or an address without a password. */
  readonly place: string;
  /**
   * Runs an operation as one transaction, and rolls back if it throws. May run it several times, because a database may
   * require a retry. Rejects with StorageUnavailable.
   */
  change<T>(durability: Durability, operation: () => Operation<T>): Promise<T>;
  /** Runs a read-only operation. Each statement sees the latest committed state. Rejects with StorageUnavailable. */
  read<T>(operation: () => Operation<T>): Promise<T>;
  /** Called after each commit of this process that stores frames or a status of an execution. */
  readonly stored: StoredListeners;
  /** Returns the size on disk, in bytes. */
  readBytes(): Promise<number>;
  /** Frees disk space after large removals, if the database does not do so by itself. */
  shrink(): Promise<void>;
}
