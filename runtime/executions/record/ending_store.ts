// The port to the ends of executions.
import type { FrameDraft } from "../../events/frame.ts";
import type { TransientFailure } from "../../config/agent_settings.ts";
import type { Execution, RunRetry } from "../execution.ts";
import type { FinalStatus, OpenStatus, StateChanger } from "../states.ts";
import type { Resumption } from "../runs/resumption.ts";

/** What a reply that was cut off used, as far as it was counted, the rest estimated. */
export interface CutReply {
  inputTokens: number;
  outputTokens: number;
  /** Null where no price is known. */
  costUsd: number | null;
}

/** What an end means for the triggers of agents. */
export type Consequences = Pick<Ending, "followers" | "verdict">;

/** How an execution ends. */
export interface Outcome {
  status: FinalStatus;
  /** Who ends it; absent: the run itself. */
  by?: StateChanger;
  /** What went wrong; null on success. */
  error: string | null;
  /** The final answer, or what was said until the run was cut off. */
  output: string | null;
  /** A reply that the end cut off, which has not been counted yet. */
  cut?: CutReply;
  /** Its model could not be reached: the same run may succeed later, after the wait that the provider asked for. */
  transient?: { kind: TransientFailure; retryAfterMs?: number };
  /** How many calls of the last reply a limit refused: they are not counted as made. */
  refusedCalls?: number;
}

/** How an end counts for the trigger that started the run. */
export interface TriggerVerdict {
  failed: boolean;
  /** After so many failures in a row the trigger pauses. */
  maxFailures: number;
  /** See agentDigest: an edited agent is counted from zero. */
  print: string;
}

/** The end of an execution, as it is stored. */
export interface Ending {
  /** The state it must be in: a run ends itself, a waiting execution is ended from outside. */
  from: OpenStatus;
  /** Only where no machine runs it: it is ended for the one that died, or that has not come yet. */
  isUnclaimed?: boolean;
  /**
   * Asked right before it is stored: another end, where somebody cancelled the run meanwhile. `wanted`: the error that another
   * machine asks for. Absent: it ends as it says.
   */
  insteadOf?: (wanted: string | null) => Ending | undefined;
  status: FinalStatus;
  error: string | null;
  output: string | null;
  /** What a reply that was cut off used; it is added to the figures. */
  cut?: CutReply;
  /** Calls that were counted with their reply and not made. */
  refusedCalls?: number;
  finishedAt: number;
  /** Running time since the last change, in milliseconds. */
  durationMs: number;
  /** The agents that start because of it; that they are to is stored in the same change. */
  followers?: readonly string[];
  /** Absent where it counts for no trigger. */
  verdict?: TriggerVerdict;
  /** The last frames, `complete` the very last. They are told the cumulative figures. */
  frames: (figures: Execution) => FrameDraft[];
}

/** A running execution rests, or continues after that. */
export interface Rest {
  /** Running time since the last change, in milliseconds. */
  durationMs: number;
  /** Its next try, and the frame that reports it; absent: it is left to the next start. */
  retry?: { planned: RunRetry; frame: FrameDraft };
}

/** Where executions end. Rejects with a RuntimeError of code `storage` where nothing can be stored. */
export interface EndingStore {
  /**
   * Ends an execution and returns it; those above that waited only for it run again, here. Undefined, and nothing is
   * changed, when it is not in the state that the ending expects (any more).
   */
  finishExecution(executionId: number, ending: Ending): Promise<Resumption | undefined>;

  /** Stores that a running execution rests: until the next start, or until a further try is due. */
  restExecution(executionId: number, rest: Rest): Promise<void>;
}
