// Reads executions and their open questions for display, without secrets.
import { normalizeId } from "../../agents/agent_id.ts";
import type { AcceptedExecution } from "../../executions/execution.ts";
import {
  type ListedExecution,
  PREVIEW_CHARACTERS,
  requireExecution,
  type StoredExecution,
} from "../../executions/record/execution_reads.ts";
import { type HumanRequest, isSameSignIn } from "../../executions/human_request.ts";
import { NoPendingRequest } from "../../executions/refusals.ts";
import { lastDays, toDailyUsage } from "../../executions/usage.ts";
import type {
  CallPreview,
  ExecutionDetail,
  ExecutionFilter,
  PendingRequest,
  UsageReport,
  UsageRequest,
} from "../../interface/runtime.ts";
import { KeptResults } from "./kept_results.ts";
import { SIGN_IN } from "../../vocabulary/tool_vocabulary.ts";
import { lazyModule } from "../../../base/lazy_module.ts";
import type { RuntimeParts } from "../open_parts.ts";

const loadCallPreview = lazyModule(() => import("../call_preview.ts"));
/** Loaded if several machines share the database. */
const loadNodeWaits = lazyModule(() => import("../../executions/nodes/node_waits.ts"));

/** The maximum number of questions in a list. */
const MOST_OPEN = 500;

/**
 * Reads executions and redacts them. Requests are stored with their secrets, so that a resumed run is the same run. Answers
 * and errors were redacted before they were stored.
 */
export class ShownHistory {
  readonly #ports: RuntimeParts;
  readonly #shownLists: KeptResults<readonly ListedExecution[], ListedExecution[]>;
  readonly #shownNewest: KeptResults<
    ReadonlyMap<string, ListedExecution>,
    ReadonlyMap<string, ListedExecution>
  >;

  constructor(ports: RuntimeParts) {
    this.#ports = ports;
    const { redactor, nodes } = ports;
    // With several nodes, the labels that an execution waits for may change although the execution does not.
    const version = () => nodes === undefined ? redactor.version : {};
    this.#shownLists = new KeptResults(version);
    this.#shownNewest = new KeptResults(version);
  }

  /** Returns executions, newest first. Accepts the agent's id in any Unicode normalization. */
  async list({ agentId, ...rest }: ExecutionFilter): Promise<readonly ListedExecution[]> {
    const { executions: reads, redactor } = this.#ports;
    // Requests are stored with their secrets. A search text that contains a part of a secret must not be searched there,
    // because matches would reveal the secret.
    const searchesAnswersOnly = rest.text !== undefined && redactor.overlapsSecret(rest.text);
    const executions = await reads.listExecutions({
      ...rest,
      ...(searchesAnswersOnly && { searchesAnswersOnly }),
      ...(agentId !== undefined && { agentId: [agentId].flat().map(normalizeId) }),
    });
    return await this.#shownLists.keep(executions, () => this.#showAll(executions));
  }

  /** Returns the newest execution of each of these agents, by agent id. Agents without an execution are left out. */
  async newest(agentIds: readonly string[]): Promise<ReadonlyMap<string, ListedExecution>> {
    const newest = await this.#ports.executions.newestByAgent(agentIds);
    return await this.#shownNewest.keep(newest, async () => {
      const shown = await this.#showAll([...newest.values()]);
      return new Map(shown.map((one) => [one.agentId, one]));
    });
  }

  /** Returns an execution with its request and answer. Throws ExecutionNotFound. */
  async get(id: number): Promise<ExecutionDetail> {
    const stored = await requireExecution(this.#ports.executions, id);
    const { args, message = null, context = null } = stored.request;
    const asked = this.#ports.redactor.redactValue({ args, message, context });
    const [waits] = await this.#withWaits([stored.execution]);
    return {
      ...waits,
      ...this.show(stored.execution),
      outputData: stored.output,
      message: asked.message,
      context: asked.context,
      isRequestRedacted: JSON.stringify(asked) !== JSON.stringify({ args, message, context }),
      forkedFrom: forkedFrom(stored),
      isUsageEstimated: await this.#ports.executions.readIsEstimated(id),
      children: await this.#ports.families.sumDescendants(id),
    };
  }

  /** Returns the open question of an existing execution or of its descendant. Throws NoPendingRequest. */
  async pendingRequest(id: number): Promise<PendingRequest> {
    const { requests, executions, redactor } = this.#ports;
    const request = await requests.readOpenRequest(id);
    if (request === undefined) throw new NoPendingRequest();
    const { execution: { agentId } } = await requireExecution(executions, request.executionId);
    const signIns = request.toolName === SIGN_IN ? await requests.readSignIns() : [];
    return {
      waitingRuns: Math.max(1, signIns.filter((one) => isSameSignIn(one, request)).length),
      ...redactor.redactValue({ ...request, executionId: id }),
      askedBy: agentId,
      preview: await this.preview(request),
    };
  }

  /**
   * Returns a preview of the change that the question's call would make to a file now. Null if the call changes no file.
   */
  async preview(request: HumanRequest): Promise<CallPreview | null> {
    const { executions, registry } = this.#ports;
    const asking = await requireExecution(executions, request.executionId);
    const subject = {
      agent: registry.get(asking.execution.agentId),
      request: asking.request,
    };
    const { previewCall } = await loadCallPreview();
    return await previewCall(request, subject, this.#ports);
  }

  /** Returns the open questions, each with the agent that asks. */
  async openRequests(): Promise<(HumanRequest & { agentId: string })[]> {
    const waiting = await this.#ports.executions.listExecutions({
      statuses: ["waiting"],
      limit: MOST_OPEN,
      offset: 0,
    });
    const asked = await Promise.all(waiting.map(async ({ id, agentId }) => {
      const request = await this.#ports.requests.readOpenRequest(id);
      return request?.executionId === id ? [{ ...request, agentId }] : [];
    }));
    return this.#ports.redactor.redactValue(asked.flat());
  }

  async usage(
    { days: count, timeZone = this.#ports.timeZone(), by }: UsageRequest,
  ): Promise<UsageReport> {
    const days = lastDays(this.#ports.clock.now(), { count, timeZone });
    const steps = await this.#ports.executions.readUsage(days[0]?.start ?? Infinity, by);
    return { days, timeZone, entries: toDailyUsage(steps, days) };
  }

  /** Returns an execution without secrets. */
  show(execution: AcceptedExecution): AcceptedExecution {
    const { args, sessionId, notices } = execution;
    const shown = { args, sessionId, ...(notices && { notices }) };
    return { ...execution, ...this.#ports.redactor.redactValue(shown) };
  }

  /** Redacts all executions in one call, because each call reads the current secrets from the file system. */
  async #showAll(executions: readonly ListedExecution[]): Promise<ListedExecution[]> {
    const { redactor } = this.#ports;
    // The end of a cut text may be a part of a secret, so it is removed. A cut text is longer than the limit if the database
    // counts two UTF-16 code units as one character.
    const whole = (text: string | null) =>
      text !== null && text.length >= PREVIEW_CHARACTERS ? redactor.trimPartialSecret(text) : text;
    const shown = redactor.redactValue(
      executions.map(({ args, sessionId, preview }) => ({
        args,
        sessionId,
        ...(preview && {
          preview: { asked: whole(preview.asked), answered: whole(preview.answered) },
        }),
      })),
    );
    return await this.#withWaits(executions.map((one, index) => ({ ...one, ...shown[index] })));
  }

  /** Returns the executions with the node labels that they wait for. */
  async #withWaits(executions: readonly ListedExecution[]): Promise<ListedExecution[]> {
    const { nodes, registry } = this.#ports;
    if (nodes === undefined) return [...executions];
    const { findWaits } = await loadNodeWaits();
    const waits = await findWaits(executions, { nodes, findAgent: (id) => registry.get(id) });
    return executions.map((one) => {
      const waitsForLabels = waits.get(one.id);
      return { ...one, ...(waitsForLabels && { waitsForLabels }) };
    });
  }
}

function forkedFrom({ request: { fork } }: StoredExecution): ExecutionDetail["forkedFrom"] {
  return fork === undefined ? null : { executionId: fork.executionId, step: fork.step };
}
