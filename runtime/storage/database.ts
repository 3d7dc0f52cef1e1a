// What stores need of a database, whichever it is, and what can be wrong with one.
import { RuntimeError, type RuntimeErrorCode } from "../../base/errors.ts";
import type { Operation } from "./operation.ts";

/** The database cannot be used as it is. Nothing was changed in it. */
export class DatabaseUnusable extends RuntimeError {
  override readonly code: RuntimeErrorCode = "storage";
}

/** A change cannot be stored now; what was stored before stands, and a later try may do. */
export class StorageUnavailable extends RuntimeError {
  override readonly code: RuntimeErrorCode = "storage";
}

/** The same where the database does not answer: it is looked for all the time, and goes on by itself when it is back. */
export class DatabaseAway extends StorageUnavailable {
  override readonly retryAfterSeconds = 5;
}

/** How firmly a transaction is on disk when it returns. PostgreSQL keeps to its own settings, but for "soon". */
export type Durability =
  /** As "process"; of a server its own crash may take the last ones, too. For what nothing that is stored later rests on. */
  | "soon"
  /** Survives a crash of the process; a power cut may take the last ones. */
  | "process"
  /** Survives a power cut, and with it everything committed before. */
  | "power";

/** A database that runs operations. */
export interface Database {
  readonly kind: "sqlite" | "postgres";
  /** Where it is, for people: a path, or an address without a password. */
  readonly place: string;
  /**
   * Runs an operation as one transaction: all of it or, when it throws, nothing. It may be run again from its beginning where
   * the database asks for that. Rejects with StorageUnavailable.
   */
  change<T>(durability: Durability, operation: () => Operation<T>): Promise<T>;
  /** Runs an operation that only reads. Each of its statements sees what is committed then. Rejects with StorageUnavailable. */
  read<T>(operation: () => Operation<T>): Promise<T>;
  /** How much room it takes. */
  readBytes(): Promise<number>;
  /** Much was removed: gives the room back where that does not happen by itself. */
  shrink(): Promise<void>;
}
