// Everything one run works with, gathered once; the steps of the loop take it whole.
import type { Agent } from "../agents/agent.ts";
import type { Clock } from "../clock.ts";
import type { Model, ModelReply } from "../models/model.ts";
import type { PathSandbox } from "../tools/path_sandbox.ts";
import type { Toolbox } from "../tools/toolbox.ts";
import type { Conversation } from "./conversation.ts";
import type { StoredCall } from "./execution_store.ts";
import type { Journal, Outcome } from "./journal.ts";

export interface Run {
  executionId: number;
  agent: Agent;
  model: Model;
  toolbox: Toolbox;
  sandbox: PathSandbox;
  conversation: Conversation;
  /** Calls that an earlier process left without a result, by place. */
  leftCalls: ReadonlyMap<number, StoredCall>;
  journal: Journal;
  /** What a reply cost in US dollars; null where no price is known. */
  costOf(reply: ModelReply): Promise<number | null>;
  clock: Clock;
  /** Aborts with a RunStopped when the run has to end early. */
  signal: AbortSignal;
}

/** The reason of a run's signal: it ends now, and this is how. */
export class RunStopped extends Error {
  override readonly name = "RunStopped";
  readonly outcome: Outcome;

  constructor(error: string) {
    super(error);
    this.outcome = { status: "aborted", error, output: null };
  }
}
