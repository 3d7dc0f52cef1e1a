// Accepting an execution: what it claims, whether its conversation is free, the row itself and its first frame, in one
// transaction.
import type {
  Acceptance,
  AcceptanceRefusal,
  AcceptanceStore,
  AcceptanceTerms,
  NewExecution,
} from "../../executions/record/acceptance_store.ts";
import type { Execution } from "../../executions/execution.ts";
import { type Budget, describeBudget } from "../../executions/budget/budget.ts";
import { findUsedUp } from "../budgets.ts";
import { bucketOf, isBucketWaiting } from "./buckets.ts";
import { type Database, StorageUnavailable } from "../database.ts";
import { EXECUTION_COLUMNS, type ExecutionRow, toExecution, toReturned } from "./execution_rows.ts";
import { selectChild } from "./families.ts";
import { takeFollowUp } from "../follow_ups.ts";
import { appendFrames } from "../frames.ts";
import { insertKey, selectByKey } from "./idempotency_keys.ts";
import { insertSlot, isSlotTaken } from "../slots.ts";
import { copySteps } from "./forks.ts";
import { takeQueued } from "../watches.ts";
import { watchLease } from "../../triggers/watch/watch_store.ts";
import { enqueue, fence, get, lock, type Operation, requireLease } from "../operation.ts";

interface Asked {
  accept: () => Operation<Acceptance>;
  resolve: (acceptance: Acceptance) => void;
  reject: (error: unknown) => void;
}

/** Acceptances of one service instance. */
export class SqlAcceptanceStore implements AcceptanceStore {
  readonly #db: Database;
  readonly #ownerId: string | null;
  #asked: Asked[] = [];

  /** `ownerId`: whose the accepted are; null: nobody's, until a machine takes them. */
  constructor(db: Database, ownerId: string | null) {
    this.#db = db;
    this.#ownerId = ownerId;
  }

  /**
   * What is to be accepted at the same moment shares one transaction: the disk is waited for once, and schedules that are
   * due together begin together. Where one of them fails, each has its own, so that nothing falls with what is beside it.
   */
  acceptExecution(wanted: NewExecution, terms: AcceptanceTerms): Promise<Acceptance> {
    // Where machines share it, a transaction holds one lease, of a watch or of who delegates: several in any order could lock out
    // each other, and what is lost with one is no matter of those beside it.
    const isLeased = terms.claim?.type === "change" || wanted.parentExecutionId !== null;
    if (isLeased && this.#ownerId === null) {
      return this.#db.change("power", () => this.#accept(wanted, terms));
    }
    const { promise, resolve, reject } = Promise.withResolvers<Acceptance>();
    this.#asked.push({ accept: () => this.#accept(wanted, terms), resolve, reject });
    if (this.#asked.length === 1) queueMicrotask(() => this.#acceptAll());
    return promise;
  }

  async #acceptAll(): Promise<void> {
    const asked = this.#asked;
    this.#asked = [];
    try {
      const accepted = await this.#db.change("power", function* () {
        const acceptances: Acceptance[] = [];
        for (const { accept } of asked) acceptances.push(yield* accept());
        return acceptances;
      });
      for (const [index, { resolve }] of asked.entries()) resolve(accepted[index] as Acceptance);
    } catch (error) {
      // The database is at fault, not one of them; and it may have stored them all the same.
      const isOver = asked.length === 1 || error instanceof StorageUnavailable;
      for (const { accept, resolve, reject } of asked) {
        if (isOver) reject(error);
        else this.#db.change("power", accept).then(resolve, reject);
      }
    }
  }

  *#accept(wanted: NewExecution, terms: AcceptanceTerms): Operation<Acceptance> {
    const acceptance = yield* insertExecution(wanted, { ...terms, ownerId: this.#ownerId });
    if ("execution" in acceptance && acceptance.isNew) {
      const { execution } = acceptance;
      const frameId = yield* appendFrames(execution.id, terms.frames(execution));
      yield* enqueue(execution);
      if (terms.taken !== undefined) {
        const toolCalls = yield* copySteps(execution.id, { ...terms.taken, frameId });
        return { ...acceptance, execution: { ...execution, toolCalls } };
      }
    }
    return acceptance;
  }
}

/** Accepts an execution as part of the transaction that is open, or tells why not. */
function* insertExecution(
  wanted: NewExecution,
  terms: AcceptanceTerms & { ownerId: string | null },
): Operation<Acceptance> {
  if (wanted.parentExecutionId !== null) yield* fence(wanted.parentExecutionId);
  const known = yield* findKnown(wanted, keysOf(terms));
  if (known !== undefined) return { execution: known, isNew: false };
  const refused = yield* findRefusal(wanted, terms);
  if (refused !== undefined) {
    yield* recordRefusedSlot(wanted.agentId, terms, refused);
    return { refused };
  }
  const startedAt = terms.startsAt?.() ?? wanted.startedAt;
  const execution = yield* insertRow({ ...wanted, startedAt }, terms.ownerId);
  if (terms.claim?.type === "slot") {
    const { scheduledFor, reason } = terms.claim;
    yield* insertSlot({
      agentId: wanted.agentId,
      scheduledFor,
      outcome: "run",
      reason,
      executionId: execution.id,
      count: 1,
    });
  }
  for (const key of keysOf(terms)) {
    yield* insertKey({ key, executionId: execution.id, now: wanted.startedAt });
  }
  return { execution, isNew: true };
}

function keysOf({ idempotencyKey, otherKeys = [] }: AcceptanceTerms): string[] {
  return idempotencyKey === undefined ? [] : [idempotencyKey, ...otherKeys];
}

/** The execution that an equal request, or the same call of the same parent, got before. */
function* findKnown(
  { parentExecutionId, parentPosition, startedAt }: NewExecution,
  keys: readonly string[],
): Operation<Execution | undefined> {
  if (parentExecutionId !== null && parentPosition !== null) {
    return yield* selectChild(parentExecutionId, parentPosition);
  }
  for (const key of keys) {
    // Who asks under the same key at the same moment, at whichever machine, waits for this one.
    yield* lock(`key ${key}`);
    const row = yield* selectByKey({ key, now: startedAt });
    if (row !== undefined) return toExecution(row);
  }
  return undefined;
}

function* findRefusal(
  wanted: NewExecution,
  { unlessWaiting, claim, budgets = [] }: AcceptanceTerms,
): Operation<AcceptanceRefusal | undefined> {
  const { agentId } = wanted;
  // What is found out here must still be so when the execution is stored.
  if (claim !== undefined || unlessWaiting) yield* lock(`agent ${agentId}`);
  if (claim?.type === "slot") {
    if (yield* isSlotTaken(agentId, claim.scheduledFor)) return "claimed";
    if (yield* isScheduleRunning(agentId)) return "running";
  }
  if (unlessWaiting && (yield* isBucketWaiting(bucketOf(wanted)))) return "waiting";
  if ((yield* findUsedUp(agentId, budgets)) !== undefined) return "budget";
  // How many runs a watch has, and on which paths, only the machine knows that watches now.
  if (claim?.type === "change") yield* requireLease(watchLease(agentId));
  // Last: taking the change out of the queue is itself a change.
  if (claim?.type === "change" && !(yield* takeQueued(agentId, claim.path))) return "claimed";
  if (claim?.type === "end" && !(yield* takeFollowUp(agentId, claim.executionId))) return "claimed";
  return undefined;
}

function* isScheduleRunning(agentId: string): Operation<boolean> {
  return (yield* get(
    "SELECT 1 FROM executions WHERE status = 'running' AND agent_id = ? AND trigger = 'schedule' LIMIT 1",
    agentId,
  )) !== undefined;
}

/** A schedule does not come back to a slot that it could not run: what became of it is told at once. */
function* recordRefusedSlot(
  agentId: string,
  { claim, budgets = [] }: AcceptanceTerms,
  refused: AcceptanceRefusal,
): Operation<void> {
  if (claim?.type !== "slot" || refused === "claimed") return;
  yield* insertSlot({
    agentId,
    scheduledFor: claim.scheduledFor,
    outcome: "skipped",
    reason: refused === "budget"
      ? yield* describeUsedUp(agentId, budgets)
      : refused === "running"
      ? "still running"
      : "waiting for an answer",
    executionId: null,
    count: 1,
  });
}

function* describeUsedUp(agentId: string, budgets: readonly Budget[]): Operation<string> {
  const budget = yield* findUsedUp(agentId, budgets);
  return `budget ${budget === undefined ? "" : `${describeBudget(budget)} `}used up`;
}

function* insertRow(wanted: NewExecution, ownerId: string | null): Operation<Execution> {
  const row = yield* get<ExecutionRow>(
    "INSERT INTO executions (agent_id, display_name, status, trigger, parent_execution_id, " +
      "parent_position, depth, session_id, instance_id, request, model, started_at) " +
      `VALUES (?, ?, 'running', ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING ${EXECUTION_COLUMNS}`,
    wanted.agentId,
    wanted.displayName,
    wanted.trigger,
    wanted.parentExecutionId,
    wanted.parentPosition,
    wanted.depth,
    wanted.sessionId,
    ownerId,
    JSON.stringify(wanted.request),
    wanted.model,
    wanted.startedAt,
  );
  return toReturned(row);
}
