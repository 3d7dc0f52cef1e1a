// Questions to people in SQLite: an execution waits with one, and runs again with its answer.
import type { Execution } from "../../executions/execution.ts";
import type { HumanRequest } from "../../executions/human_request.ts";
import type {
  OpeningRequest,
  RecordedAnswer,
  RequestStore,
} from "../../executions/record/request_store.ts";
import type { Resumption } from "../../executions/runs/resumption.ts";
import { NO_OUTBOX, type Outbox } from "../../notify/outbox.ts";
import { raiseBudget } from "../budgets.ts";
import type { Database } from "../database.ts";
import { appendFrames, showsRequest } from "../frames.ts";
import {
  closeRequest,
  insertRequest,
  selectNextExpiry,
  selectOpenRequest,
} from "./request_rows.ts";
import { pauseExecution, wakeAncestors, wakeExecution } from "./waiting.ts";

/** Questions; who is answered runs in this service instance. */
export class SqliteRequestStore implements RequestStore {
  readonly #db: Database;
  readonly #instanceId: string;
  readonly #outbox: Pick<Outbox, "tell">;

  constructor(db: Database, instanceId: string, outbox: Pick<Outbox, "tell"> = NO_OUTBOX) {
    this.#db = db;
    this.#instanceId = instanceId;
    this.#outbox = outbox;
  }

  openRequest(executionId: number, opening: OpeningRequest): Promise<Execution> {
    return this.#db.change("power", () => {
      insertRequest(this.#db, opening.request);
      const execution = pauseExecution(this.#db, executionId, opening);
      this.#outbox.tell({ type: "waiting", execution, request: opening.request });
      return execution;
    });
  }

  answerRequest(executionId: number, answer: RecordedAnswer): Promise<Resumption | undefined> {
    return this.#db.change("power", () => {
      if (!closeRequest(this.#db, executionId, answer)) return undefined;
      if (answer.raise !== undefined) raiseBudget(this.#db, answer.raise);
      const execution = wakeExecution(this.#db, executionId, this.#instanceId);
      const ancestors = wakeAncestors(this.#db, executionId, this.#instanceId);
      // Of several questions below it, one that waits shows one: an answer to another has no place in its log.
      const shown = ancestors.filter(({ id }) => showsRequest(this.#db, id, answer.requestId));
      for (const one of [execution, ...shown]) {
        appendFrames(this.#db, one.id, answer.frames(one));
      }
      return { execution, ancestors };
    });
  }

  readOpenRequest(executionId: number, requestId?: string): Promise<HumanRequest | undefined> {
    return Promise.resolve(selectOpenRequest(this.#db, executionId, requestId));
  }

  readNextExpiry(except: ReadonlySet<string> = new Set()): Promise<HumanRequest | undefined> {
    return Promise.resolve(selectNextExpiry(this.#db, except));
  }
}
