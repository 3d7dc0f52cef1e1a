// Stores questions to people. A question pauses its execution, and an answer resumes it.
import { recordAudit } from "../../audit/audit_table.ts";
import type { Execution } from "../../executions/execution.ts";
import { type HumanRequest, isSameSignIn } from "../../executions/human_request.ts";
import type {
  OpeningRequest,
  RecordedAnswer,
  RequestStore,
} from "../../executions/record/request_store.ts";
import type { PartialApproval } from "../../executions/approvals.ts";
import type { Resumption } from "../../executions/record/ending_store.ts";
import { type EventMessages, NO_MESSAGES } from "../../notify/outbox.ts";
import { raiseBudget } from "../../executions/budget/budget_store.ts";
import type { Database } from "../../database/database.ts";
import { appendFrames, showsRequest } from "../frames.ts";
import { addApproval, withStarter } from "./approvals.ts";
import {
  closeRequest,
  insertRequest,
  selectNextExpiry,
  selectOpenRequest,
  selectSignIns,
} from "./request_rows.ts";
import { pauseExecution, resumeAncestors, resumeExecution } from "./waiting.ts";
import { SIGN_IN } from "../../vocabulary/tool_vocabulary.ts";
import { fence } from "../../database/operation.ts";

/**
 * Stores questions and answers. An answered execution runs again, owned by `ownerId`; null leaves it without an owner until
 * a node claims it.
 */
export class SqlRequestStore implements RequestStore {
  readonly #db: Database;
  readonly #ownerId: string | null;
  readonly #messages: EventMessages;

  constructor(db: Database, ownerId: string | null, messages: EventMessages = NO_MESSAGES) {
    this.#db = db;
    this.#ownerId = ownerId;
    this.#messages = messages;
  }

  openRequest(executionId: number, opening: OpeningRequest): Promise<Execution> {
    const messages = this.#messages;
    return this.#db.change("power", function* () {
      yield* fence(executionId);
      const request = yield* withStarter(opening.request);
      yield* insertRequest(request);
      const execution = yield* pauseExecution(executionId, opening);
      const isSignIn = request.toolName === SIGN_IN;
      // If other runs wait for the same sign-in, people already have a message about it.
      const isFirst = !isSignIn ||
        (yield* selectSignIns()).filter((one) => isSameSignIn(one, request)).length === 1;
      if (isFirst) yield* messages.record({ type: "waiting", execution, request });
      return execution;
    });
  }

  answerRequest(
    executionId: number,
    answer: RecordedAnswer,
  ): Promise<Resumption | PartialApproval | undefined> {
    const ownerId = this.#ownerId;
    const messages = this.#messages;
    return this.#db.change("power", function* () {
      const partial = yield* addApproval(executionId, answer, messages);
      if (partial !== undefined) return partial;
      if (!(yield* closeRequest(executionId, answer))) return undefined;
      if (answer.raise !== undefined) yield* raiseBudget(answer.raise);
      yield* recordAudit(answer.audit, { executionId });
      const execution = yield* resumeExecution(executionId, ownerId);
      const ancestors = yield* resumeAncestors(executionId, ownerId);
      // The log of a waiting ancestor contains one question of its descendants. Only the answer to that question is added
      // to the log.
      yield* appendFrames(execution.id, answer.frames(execution));
      for (const one of ancestors) {
        if (!(yield* showsRequest(one.id, answer.requestId))) continue;
        yield* appendFrames(one.id, answer.frames(one));
      }
      return { execution, ancestors };
    });
  }

  readOpenRequest(executionId: number, requestId?: string): Promise<HumanRequest | undefined> {
    return this.#db.read(() => selectOpenRequest(executionId, requestId));
  }

  readSignIns(): Promise<HumanRequest[]> {
    return this.#db.read(selectSignIns);
  }

  readNextExpiry(except: ReadonlySet<string> = new Set()): Promise<HumanRequest | undefined> {
    return this.#db.read(() => selectNextExpiry(except));
  }
}
