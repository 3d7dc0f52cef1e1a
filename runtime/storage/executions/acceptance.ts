// Accepts executions. One transaction checks all conditions of a start, and stores the execution with its first frame.
import { recordAudit } from "../../audit/audit_table.ts";
import { SLOT_REASONS } from "../../vocabulary/trigger_kinds.ts";
import type {
  Acceptance,
  AcceptanceRefusal,
  AcceptanceStore,
  AcceptanceTerms,
  CopiedSteps,
  NewExecution,
} from "../../executions/record/acceptance_store.ts";
import type { Execution } from "../../executions/execution.ts";
import { type Budget, describeBudget } from "../../executions/budget.ts";
import { findExhausted } from "../../executions/budget/budget_store.ts";
import { bucketOf, isBucketWaiting } from "./buckets.ts";
import { type Database, StorageUnavailable } from "../../database/database.ts";
import {
  EXECUTION_COLUMNS,
  type ExecutionRow,
  requireExecution,
  toExecution,
} from "./execution_rows.ts";
import { selectChild } from "./families.ts";
import { ForkedStepsGone } from "../../executions/refusals.ts";
import { appendFrames, newestFrameId } from "../frames.ts";
import { insertKey, selectByKey } from "./idempotency_keys.ts";
import { insertSlot, isSlotTaken } from "../../triggers/schedule/slots.ts";
import { insertMessages, replaceMessage } from "./conversation_rows.ts";
import { consumeClaim } from "./trigger_events.ts";
import { enqueue, fence, get, lock, type Operation, run, send } from "../../database/operation.ts";

interface PendingAcceptance {
  accept: () => Operation<Acceptance>;
  resolve: (acceptance: Acceptance) => void;
  reject: (error: unknown) => void;
}

/** Accepts executions for one service instance. */
export class SqlAcceptanceStore implements AcceptanceStore {
  readonly #db: Database;
  readonly #ownerId: string | null;
  #pending: PendingAcceptance[] = [];

  /**
   * Creates a store. `ownerId` is the service instance that owns the accepted executions; null leaves them without an owner
   * until a node claims them.
   */
  constructor(db: Database, ownerId: string | null) {
    this.#db = db;
    this.#ownerId = ownerId;
  }

  /**
   * Accepts an execution. Simultaneous calls share one transaction and therefore one wait for the disk. If the shared
   * transaction fails, each call gets its own transaction, so that one failure does not affect the others.
   */
  acceptExecution(wanted: NewExecution, terms: AcceptanceTerms): Promise<Acceptance> {
    // With several nodes, an acceptance may require the lease of a watch or of the parent execution, and then has its own
    // transaction. Several leases in one transaction could deadlock, and a lost lease would fail the other acceptances.
    const isLeased = terms.claim?.type === "change" || terms.claim?.type === "mail" ||
      wanted.parentExecutionId !== null;
    if (isLeased && this.#ownerId === null) {
      return this.#db.change("power", () => this.#accept(wanted, terms));
    }
    const { promise, resolve, reject } = Promise.withResolvers<Acceptance>();
    this.#pending.push({ accept: () => this.#accept(wanted, terms), resolve, reject });
    if (this.#pending.length === 1) queueMicrotask(() => this.#acceptAll());
    return promise;
  }

  async #acceptAll(): Promise<void> {
    const pending = this.#pending;
    this.#pending = [];
    try {
      const accepted = await this.#db.change("power", function* () {
        const acceptances: Acceptance[] = [];
        for (const { accept } of pending) acceptances.push(yield* accept());
        return acceptances;
      });
      for (const [index, { resolve }] of pending.entries()) resolve(accepted[index] as Acceptance);
    } catch (error) {
      // After an error of the database, the transaction may have been committed. So the acceptances are not repeated.
      const isOver = pending.length === 1 || error instanceof StorageUnavailable;
      for (const { accept, resolve, reject } of pending) {
        if (isOver) reject(error);
        else this.#db.change("power", accept).then(resolve, reject);
      }
    }
  }

  *#accept(wanted: NewExecution, terms: AcceptanceTerms): Operation<Acceptance> {
    const acceptance = yield* insertExecution(wanted, { ...terms, ownerId: this.#ownerId });
    if ("execution" in acceptance && acceptance.isNew) {
      const { execution } = acceptance;
      yield* appendFrames(execution.id, terms.frames(execution));
      yield* enqueue(execution);
      if (terms.given !== undefined) yield* insertMessages(execution.id, terms.given);
      if (terms.taken !== undefined) {
        const toolCalls = yield* copySteps(execution.id, terms.taken);
        return { ...acceptance, execution: { ...execution, toolCalls } };
      }
    }
    return acceptance;
  }
}

/** Stores an accepted execution in the open transaction. Returns it, an existing execution, or the refusal. */
function* insertExecution(
  wanted: NewExecution,
  terms: AcceptanceTerms & { ownerId: string | null },
): Operation<Acceptance> {
  if (wanted.parentExecutionId !== null) yield* fence(wanted.parentExecutionId);
  const known = yield* findExisting(wanted, keysOf(terms));
  if (known !== undefined) return { execution: known, isNew: false };
  const refused = yield* findRefusal(wanted, terms);
  if (refused !== undefined) {
    yield* recordRefusedSlot(wanted.agentId, terms, refused);
    return { refused };
  }
  const startedAt = terms.startsAt?.() ?? wanted.startedAt;
  const execution = yield* insertRow({ ...wanted, startedAt }, terms.ownerId);
  yield* recordAudit(terms.audit, { executionId: execution.id });
  const { claim } = terms;
  if (claim?.type === "slot" || claim?.type === "check" && claim.isLast) {
    const { scheduledFor } = claim;
    const reason = claim.type === "slot" ? claim.reason : null;
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

/** Returns the existing execution that the same call of the parent or an earlier request with the same key has started. */
function* findExisting(
  { parentExecutionId, parentPosition, startedAt }: NewExecution,
  keys: readonly string[],
): Operation<Execution | undefined> {
  if (parentExecutionId !== null && parentPosition !== null) {
    return yield* selectChild(parentExecutionId, parentPosition);
  }
  for (const key of keys) {
    // Serializes simultaneous requests with the same key on all nodes.
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
  // The lock prevents another transaction from changing the checked state before the execution is stored.
  if (claim !== undefined || unlessWaiting) yield* lock(`agent ${agentId}`);
  if (claim?.type === "slot" || claim?.type === "check") {
    if (yield* isSlotTaken(agentId, claim.scheduledFor)) return "claimed";
    const isAlone = claim.type === "slot" || claim.isAlone;
    if (isAlone && (yield* isTriggerRunning(agentId, wanted.trigger))) return "running";
  }
  if (unlessWaiting && (yield* isBucketWaiting(bucketOf(wanted)))) return "waiting";
  if ((yield* findExhausted(agentId, budgets)) !== undefined) return "budget";
  // This check is last, because it also consumes the trigger event.
  return claim === undefined || (yield* consumeClaim(claim, wanted)) ? undefined : "claimed";
}

function* isTriggerRunning(agentId: string, trigger: string): Operation<boolean> {
  return (yield* get(
    "SELECT 1 FROM executions WHERE status = 'running' AND agent_id = ? AND trigger = ? LIMIT 1",
    agentId,
    trigger,
  )) !== undefined;
}

/** Stores the due time of a refused scheduled run as skipped, because the schedule does not return to it. */
function* recordRefusedSlot(
  agentId: string,
  { claim, budgets = [] }: AcceptanceTerms,
  refused: AcceptanceRefusal,
): Operation<void> {
  if (claim?.type !== "slot" && claim?.type !== "check" || refused === "claimed") return;
  yield* insertSlot({
    agentId,
    scheduledFor: claim.scheduledFor,
    outcome: "skipped",
    reason: refused === "budget"
      ? yield* describeExhausted(agentId, budgets)
      : refused === "running"
      ? SLOT_REASONS.running
      : SLOT_REASONS.waiting,
    executionId: null,
    count: 1,
  });
}

function* describeExhausted(agentId: string, budgets: readonly Budget[]): Operation<string> {
  const budget = yield* findExhausted(agentId, budgets);
  return `budget ${budget === undefined ? "" : `${describeBudget(budget)} `}${SLOT_REASONS.budget}`;
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
  return requireExecution(row);
}

/**
 * Copies messages and finished tool calls to a fork. The last frame in the fork's log marks the copied results as logged.
 * Returns the number of copied calls, which count toward the call limit. Throws ForkedStepsGone if a message is missing.
 */
function* copySteps(
  executionId: number,
  { executionId: from, end, count, prompt, message }: CopiedSteps,
): Operation<number> {
  // Calls are copied before the messages. A purge removes both, so the check of the messages also covers the calls.
  const calls = yield* run(
    "INSERT INTO tool_calls (execution_id, position, tool_call_id, name, arguments, effect, " +
      "started_at, duration_ms, is_error, frame_id) SELECT ?1, position, tool_call_id, name, " +
      `arguments, effect, started_at, duration_ms, is_error, ${
        newestFrameId("?1")
      } FROM tool_calls ` +
      "WHERE execution_id = ?2 AND position < ?3",
    executionId,
    from,
    end,
  );
  const copied = yield* run(
    "INSERT INTO messages (execution_id, position, role, body, seeded, terms) " +
      "SELECT ?1, position, role, body, seeded, terms FROM messages " +
      "WHERE execution_id = ?2 AND position < ?3 ORDER BY position",
    executionId,
    from,
    end,
  );
  if (copied !== count) throw new ForkedStepsGone();
  yield* send("UPDATE executions SET tool_calls = ? WHERE id = ?", calls, executionId);
  if (prompt !== undefined) yield* replaceMessage(executionId, prompt);
  if (message?.replaces) yield* replaceMessage(executionId, message);
  else if (message !== undefined) yield* insertMessages(executionId, [message]);
  return calls;
}
