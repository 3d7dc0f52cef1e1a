// The interface to tracing and metrics. Telemetry receives names, figures and outcomes, and never prompts, answers,
// arguments or results.
import type { Agent } from "../../agents/agent.ts";
import type { Model, ModelReply } from "../../models/model.ts";
import type { PlannedCall } from "../record/conversation.ts";
import type { Execution } from "../execution.ts";
import type { ExecutionStatus } from "../states.ts";

/** The data about a model call that telemetry receives. */
export interface AskedModel {
  execution: Execution;
  model: Pick<Model, "id">;
  agent: Pick<Agent, "settings">;
}

/** The data about a tool call that telemetry receives. */
export interface ToolUse {
  execution: Execution;
  call: Pick<PlannedCall, "name" | "toolCallId">;
}

/**
 * Reports work to tracing and metrics. A method with `work` calls it exactly once and passes its result or error on, even
 * if reporting fails.
 */
export interface Telemetry {
  /** Reports a run from its start or continuation to its end or next question. `work` returns the new status. */
  execution(execution: Execution, work: () => Promise<ExecutionStatus>): Promise<void>;
  /** Reports a model call, including its retries and the wait for a free slot. */
  modelCall(asked: AskedModel, work: () => Promise<ModelReply>): Promise<ModelReply>;
  /**
   * Reports a tool call. A result with `isError: true` is a failure. A result without `isError` means that the call waits
   * for a person.
   */
  toolCall<T extends object>(use: ToolUse, work: () => Promise<T>): Promise<T>;
  /** Records the cost of a reply in US dollars. */
  cost(asked: AskedModel, usd: number): void;
  /** Records the end of an execution. Called once for each execution, whatever the cause of its end. */
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
