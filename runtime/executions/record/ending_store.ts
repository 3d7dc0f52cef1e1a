// The store interfaces for the ends, pauses and rests of executions.
import type { AuditEntry } from "../../audit/audit_table.ts";
import type { TriggerStop } from "../../events/bus.ts";
import type { FrameDraft } from "../../events/frame.ts";
import type { TransientFailure } from "../../config/agent_settings.ts";
import type { Execution, RunRest, RunRetry } from "../execution.ts";
import type { FinalStatus, OpenStatus, StateChanger } from "../states.ts";
import type { RecordedReply } from "./conversation_store.ts";

/** The usage of a reply that was cut off: the provider's count, plus an estimate of the rest. */
export interface CutReply {
  inputTokens: number;
  outputTokens: number;
  /** The cost in dollars. Null if no price is known. */
  costUsd: number | null;
}

/** The consequences of an end: the agents that it starts, and the verdict for the run's trigger. */
export type Consequences = Pick<Ending, "followers" | "verdict">;

/** The outcome of a run, before it is stored. */
export interface Outcome {
  status: FinalStatus;
  /** The cause of the end. The run itself if absent. */
  by?: StateChanger;
  /** The error message. Null on success. */
  error: string | null;
  /** The final answer, or the partial answer of a run that was cut off. */
  output: string | null;
  /** The usage of a reply that the end cut off and that is not counted yet. */
  cut?: CutReply;
  /**
   * Present if the model could not be reached. The run may succeed later. `retryAfterMs` is the delay that the provider
   * requested.
   */
  transient?: { kind: TransientFailure; retryAfterMs?: number };
  /** The number of calls of the last reply that a limit refused. These calls do not count as made. */
  refusedCalls?: number;
  /** The entry of the audit, if a person ends the execution. */
  audit?: AuditEntry | undefined;
}

/** Failure or success of a run for the trigger that started it. */
export interface TriggerVerdict {
  failed: boolean;
  /** The number of consecutive failures after which the trigger pauses. */
  maxFailures: number;
  /** The digest of the agent, see agentDigest(). The count of failures restarts when the digest changes. */
  print: string;
}

/** The end of an execution to store. */
export interface Ending
  extends Pick<Outcome, "status" | "error" | "output" | "cut" | "refusedCalls" | "audit"> {
  /** The status that the execution must have. */
  from: OpenStatus;
  /** True if the execution is ended only if it rests or no machine holds it. */
  isUnclaimed?: boolean;
  /**
   * Called right before the end is stored. Returns another end if the run was cancelled meanwhile, or undefined. `wanted`
   * is the error of a cancel request from another machine.
   */
  insteadOf?: (wanted: string | null) => Ending | undefined;
  /** The last reply, if it is not stored yet. Its frames precede those of the end. Never present with `cut`. */
  reply?: RecordedReply;
  finishedAt: number;
  /** The running time in milliseconds since the last stored change. */
  durationMs: number;
  /** The ids of the agents that this end starts. Stored in the same transaction. */
  followers?: readonly string[];
  /** The verdict for the run's trigger. Absent if the run counts for no trigger. */
  verdict?: TriggerVerdict;
  /** Creates the last frames from the execution with its final figures. The `complete` frame is the last one. */
  frames: (figures: Execution) => FrameDraft[];
}

/** The pause of a running execution until its rest ends or the service restarts, or the start of a retry. */
export interface Pause {
  /** The running time in milliseconds since the last stored change. */
  durationMs: number;
  frames: FrameDraft[];
  /** The rest. If absent, the execution does not rest. */
  rest?: RunRest;
  /** The planned or started retry. */
  retry?: RunRetry;
}

/** A changed execution, and the ancestors that waited only for it and run again on this machine. */
export interface Resumption {
  execution: Execution;
  /** The resumed ancestors, the direct parent first. */
  ancestors: Execution[];
  /**
   * The change of the agent's trigger by the execution's end: why the trigger was stopped, or `running` if it was re-armed.
   * Absent if the trigger did not change.
   */
  trigger?: { reason: string; stop: TriggerStop } | "running";
}

/** Stores ends and pauses. Rejects with a RuntimeError of code `storage` if nothing can be stored. */
export interface EndingStore {
  /**
   * Ends an execution and returns it. The ancestors that waited only for this execution run again on this machine. Returns
   * undefined and changes nothing if the execution does not have the status `from`.
   */
  finishExecution(executionId: number, ending: Ending): Promise<Resumption | undefined>;

  /** Stores that a running execution rests, pauses until the next start of the service, or starts a retry. */
  restExecution(executionId: number, pause: Pause): Promise<void>;
}

/** The end of a rest: its time in milliseconds since the epoch, and its cause. */
export type EndedRest = NonNullable<RunRest["ended"]>;

/** A resting execution, and the planned end of its rest in milliseconds since the epoch. */
export interface NextRest {
  id: number;
  until: number;
}

/** Ends rests. Rejects with a RuntimeError of code `storage` if nothing can be stored. */
export interface RestStore {
  /**
   * Ends a rest. The execution and the ancestors that rested only for it run again on this machine. Returns undefined if
   * the execution does not rest, because a rest ends once. `by: "time"` ends the rest only if it is due at `at`.
   */
  endRest(
    executionId: number,
    ended: EndedRest,
    audit?: AuditEntry,
  ): Promise<Resumption | undefined>;

  /** Returns the rest that ends next, or undefined if no execution rests. Leaves out parents of resting children. */
  readNextRest(): Promise<NextRest | undefined>;
}
