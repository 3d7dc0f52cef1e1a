// Questions to people as changes: an execution waits with one, and runs again with its answer.
import type { Execution } from "../../executions/execution.ts";
import type { HumanRequest } from "../../executions/human_request.ts";
import type {
  OpeningRequest,
  RecordedAnswer,
  RequestStore,
} from "../../executions/record/request_store.ts";
import type { Resumption } from "../../executions/runs/resumption.ts";
import { type MessageStock, NO_MESSAGES } from "../outbox.ts";
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
import { fence } from "../operation.ts";

/** Questions; who is answered runs in this service instance. */
export class SqlRequestStore implements RequestStore {
  readonly #db: Database;
  readonly #instanceId: string;
  readonly #messages: MessageStock;

  constructor(db: Database, instanceId: string, messages: MessageStock = NO_MESSAGES) {
    this.#db = db;
    this.#instanceId = instanceId;
    this.#messages = messages;
  }

  openRequest(executionId: number, opening: OpeningRequest): Promise<Execution> {
    const messages = this.#messages;
    return this.#db.change("power", function* () {
      yield* fence(executionId);
      yield* insertRequest(opening.request);
      const execution = yield* pauseExecution(executionId, opening);
      yield* messages.tell({ type: "waiting", execution, request: opening.request });
      return execution;
    });
  }

  answerRequest(executionId: number, answer: RecordedAnswer): Promise<Resumption | undefined> {
    const instanceId = this.#instanceId;
    return this.#db.change("power", function* () {
      if (!(yield* closeRequest(executionId, answer))) return undefined;
      if (answer.raise !== undefined) yield* raiseBudget(answer.raise);
      const execution = yield* wakeExecution(executionId, instanceId);
      const ancestors = yield* wakeAncestors(executionId, instanceId);
      // Of several questions below it, one that waits shows one: an answer to another has no place in its log.
      yield* appendFrames(execution.id, answer.frames(execution));
      for (const one of ancestors) {
        if (!(yield* showsRequest(one.id, answer.requestId))) continue;
        yield* appendFrames(one.id, answer.frames(one));
      }
      return { execution, ancestors };
    });
  }

  readOpenRequest(executionId: number, requestId?: string): Promise<HumanRequest | undefined> {
    return this.#db.read(function* () {
      return yield* selectOpenRequest(executionId, requestId);
    });
  }

  readNextExpiry(except: ReadonlySet<string> = new Set()): Promise<HumanRequest | undefined> {
    return this.#db.read(function* () {
      return yield* selectNextExpiry(except);
    });
  }
}
