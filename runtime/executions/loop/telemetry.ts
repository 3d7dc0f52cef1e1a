// The interface to tracing and metrics. It receives names, figures and outcomes of runs; never prompts, answers,
// arguments or results.
import type { Agent } from "../../agents/agent.ts";
import type { Model, ModelReply } from "../../models/model.ts";
import type { PlannedCall } from "../record/conversation.ts";
import type { Execution } from "../execution.ts";
import type { ExecutionStatus } from "../states.ts";

/** The reported part of a model call. */
export interface AskedModel {
  execution: Execution;
  model: Pick<Model, "id">;
  agent: Pick<Agent, "settings">;
}

/** The reported part of a tool call. */
export interface ToolUse {
  execution: Execution;
  call: Pick<PlannedCall, "name" | "toolCallId">;
}

/**
 * Observes work. Each method calls `work` exactly once and passes its result or its error on unchanged, even if reporting
 * fails.
 */
export interface Telemetry {
  /** Observes one stretch of running: from the start or an answer to the end or the next question. `work` returns the new status. */
  execution(execution: Execution, work: () => Promise<ExecutionStatus>): Promise<void>;
  /** Observes one reply of a model, including its retries and its wait for a free slot. */
  modelCall(asked: AskedModel, work: () => Promise<ModelReply>): Promise<ModelReply>;
  /** Observes one tool call. A result with `isError` is a failure. A result without that member means that the call waits. */
  toolCall<T extends object>(use: ToolUse, work: () => Promise<T>): Promise<T>;
  /** Records the cost of a reply in US dollars. */
  cost(asked: AskedModel, usd: number): void;
  /** Records the end of an execution. Called once for each execution, whatever ended it. */
  ended(execution: Execution): void;
}

/** Telemetry that reports nothing. */
export const NO_TELEMETRY: Telemetry = {
  async execution(_execution, work) {
    await work();
  },
  modelCall: (_asked, work) => work(),
  toolCall: (_use, work) => work(),
  cost: () => {},
  ended: () => {},
};
