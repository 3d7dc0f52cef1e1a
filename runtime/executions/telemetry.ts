// The port to tracing and metrics: what is reported of runs to whoever watches many of them from outside. It is told names,
// figures and how things ended; never prompts, answers, arguments or results.
import type { Agent } from "../agents/agent.ts";
import type { Model, ModelReply } from "../models/model.ts";
import type { PlannedCall } from "./record/conversation.ts";
import type { Execution } from "./execution.ts";
import type { ExecutionStatus } from "./states.ts";

/** A question to a model, as far as it is reported. */
export interface AskedModel {
  execution: Execution;
  model: Pick<Model, "id">;
  agent: Pick<Agent, "settings">;
}

/** A call of a tool, as far as it is reported. */
export interface ToolUse {
  execution: Execution;
  call: Pick<PlannedCall, "name" | "toolCallId">;
}

/**
 * Follows work from its beginning to its end. `work` is always done, exactly once, and its result or its error is passed on
 * as it is: what cannot be told is not told.
 */
export interface Telemetry {
  /** A stretch of running: from the start, or an answer, to the end or the next question. `work` gives the state it left. */
  execution(execution: Execution, work: () => Promise<ExecutionStatus>): Promise<void>;
  /** One reply of a model, with its retries and its wait for a free place. */
  modelCall(asked: AskedModel, work: () => Promise<ModelReply>): Promise<ModelReply>;
  /** A tool at work. A result with `isError` is a failure; one without that member means that the call waits. */
  toolCall<T extends object>(use: ToolUse, work: () => Promise<T>): Promise<T>;
  /** What a reply cost, in US dollars. */
  cost(asked: AskedModel, usd: number): void;
  /** An execution ended: once for each, whatever ended it. */
  ended(execution: Execution): void;
}

/** Nobody watches. */
export const NO_TELEMETRY: Telemetry = {
  async execution(_execution, work) {
    await work();
  },
  modelCall: (_asked, work) => work(),
  toolCall: (_use, work) => work(),
  cost: () => {},
  ended: () => {},
};
