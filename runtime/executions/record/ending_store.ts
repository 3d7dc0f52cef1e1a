// The store interface for ends and pauses of executions.
import type { FrameDraft } from "../../events/frame.ts";
import type { TransientFailure } from "../../config/agent_settings.ts";
import type { Execution, RunRetry } from "../execution.ts";
import type { FinalStatus, OpenStatus, StateChanger } from "../states.ts";
import type { Resumption } from "./resumption.ts";

/** The usage of a reply that was cut off: the counted part, plus an estimate of the rest. */
export interface CutReply {
  inputTokens: number;
  outputTokens: number;
  /** Null if no price is known. */
  costUsd: number | null;
}

/** The consequences of an end for the triggers of agents. */
export type Consequences = Pick<Ending, "followers" | "verdict">;

/** The outcome of a run. */
export interface Outcome {
  status: FinalStatus;
  /** The actor that ends it. Absent: the run itself. */
  by?: StateChanger;
  /** Null on success. */
  error: string | null;
  /** The final answer, or the partial answer of a run that was cut off. */
  output: string | null;
  /** The uncounted usage of a reply that the end cut off. */
  cut?: CutReply;
  /** Present if the model could not be reached. The run may succeed later, after the delay that the provider requested. */
  transient?: { kind: TransientFailure; retryAfterMs?: number };
  /** The number of calls of the last reply that a limit refused. They do not count as made. */
  refusedCalls?: number;
}

/** The result of a run for the trigger that started it. */
export interface TriggerVerdict {
  failed: boolean;
  /** The trigger pauses after this many consecutive failures. */
  maxFailures: number;
  /** See agentDigest. The count restarts when the agent is edited. */
  print: string;
}

/** The stored end of an execution. */
export interface Ending {
  /** The status that the execution must have. */
  from: OpenStatus;
  /** End the execution only if no machine holds it. */
  isUnclaimed?: boolean;
  /**
   * Called right before the end is stored. Returns another end if the run was cancelled meanwhile. `wanted` is the error of a
   * cancel request from another machine.
   */
  insteadOf?: (wanted: string | null) => Ending | undefined;
  status: FinalStatus;
  error: string | null;
  output: string | null;
  /** The usage of a reply that was cut off. It is added to the figures. */
  cut?: CutReply;
  /** The number of calls that were counted with their reply but not made. */
  refusedCalls?: number;
  finishedAt: number;
  /** Running time since the last change, in milliseconds. */
  durationMs: number;
  /** The agents that this end starts. Stored in the same transaction. */
  followers?: readonly string[];
  /** Absent if it counts for no trigger. */
  verdict?: TriggerVerdict;
  /** Creates the last frames from the cumulative figures. `complete` is the very last one. */
  frames: (figures: Execution) => FrameDraft[];
}

/** The pause of a running execution, or its continuation. */
export interface Rest {
  /** Running time since the last change, in milliseconds. */
  durationMs: number;
  /** The next retry and its frame. Absent: the next start of the service continues the execution. */
  retry?: { planned: RunRetry; frame: FrameDraft };
}

/** Stores ends and pauses. Rejects with a RuntimeError of code `storage` if nothing can be stored. */
export interface EndingStore {
  /**
   * Ends an execution and returns it. Ancestors that waited only for it run again here. Returns undefined and changes nothing
   * if the execution does not have the status `from`.
   */
  finishExecution(executionId: number, ending: Ending): Promise<Resumption | undefined>;

  /** Stores that a running execution pauses until the next start of the service, or until a retry is due. */
  restExecution(executionId: number, rest: Rest): Promise<void>;
}
