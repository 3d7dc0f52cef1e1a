// Keeps the results of reads of executions until an execution changes.
import type { Execution } from "../../executions/execution.ts";
import type {
  ExecutionFilter,
  ListedExecution,
  OpenCounts,
} from "../../executions/record/execution_reads.ts";
import type { Database } from "../../database/database.ts";
import { SqlExecutionReads } from "./execution_reads.ts";

/** The maximum number of results that are kept. */
const MAX_KEPT = 32;
/** The maximum number of executions in a list that is kept. */
const MAX_KEPT_ROWS = 100;

/**
 * Reads executions. The result of a repeated read is the same object, unless an execution was changed in between. Keeps
 * nothing if the database does not report each change.
 */
export class KeptExecutionReads extends SqlExecutionReads {
  readonly #versionOf: Database["executionsVersion"];
  readonly #kept = new Map<string, Promise<unknown>>();
  #version: number | undefined;

  constructor(db: Database) {
    super(db);
    this.#versionOf = db.executionsVersion?.bind(db);
  }

  override listExecutions(filter: ExecutionFilter): Promise<readonly ListedExecution[]> {
    const isKept = filter.text === undefined && filter.limit <= MAX_KEPT_ROWS;
    return isKept
      ? this.#keep(`list ${JSON.stringify(filter)}`, () => super.listExecutions(filter))
      : super.listExecutions(filter);
  }

  override newestByAgent(agentIds: readonly string[]): Promise<ReadonlyMap<string, Execution>> {
    return this.#keep(`newest ${JSON.stringify(agentIds)}`, () => super.newestByAgent(agentIds));
  }

  override countOpen(agentIds?: readonly string[]): Promise<OpenCounts> {
    const count = () => super.countOpen(agentIds);
    return agentIds === undefined ? this.#keep("open", count) : count();
  }

  async #keep<T>(key: string, read: () => Promise<T>): Promise<T> {
    if (this.#versionOf === undefined) return await read();
    const version = this.#versionOf();
    if (version !== this.#version) this.#kept.clear();
    this.#version = version;
    const kept = this.#kept.get(key);
    // The key contains the kind of read, which determines T.
    if (kept !== undefined) return await (kept as Promise<T>);
    const [oldest] = this.#kept.size < MAX_KEPT ? [] : this.#kept.keys();
    if (oldest !== undefined) this.#kept.delete(oldest);
    const reading = read();
    this.#kept.set(key, reading);
    reading.catch(() => this.#kept.get(key) === reading && this.#kept.delete(key));
    return await reading;
  }
}
