// The collaborators of the runner, from outside this folder.
import type { Diagnostic } from "../../../base/diagnostics.ts";
import type { Agent } from "../../agents/agent.ts";
import type { EventBus } from "../../events/bus.ts";
import type { Budget } from "../budget.ts";
import type { ExecutionRequest } from "../execution_request.ts";
import type { RunPorts } from "../loop/run_ports.ts";
import type { AcceptanceStore } from "../record/acceptance_store.ts";
import type { ExecutionReads } from "../record/execution_reads.ts";
import type { FamilyStore } from "../record/family_store.ts";
import type { JournalPorts } from "../record/journal_ports.ts";
import type { RecoveryStore } from "../record/recovery_store.ts";
import type { SharedRuns } from "./shared_runs.ts";

/** The collaborators of the runner. The parts of this folder pick theirs from it. */
export type RunnerPorts = RunPorts & JournalPorts & {
  acceptances: AcceptanceStore;
  executions: Pick<ExecutionReads, "readExecution">;
  families: Pick<FamilyStore, "findChild" | "listChildren" | "countUnsafeCalls">;
  recovery: RecoveryStore;
  events: EventBus;
  /** The maximum number of concurrent shared runs on this machine. */
  places?: number;
  /** Present if several machines share the database. */
  shared?: SharedRuns;
  /** Returns the problem of an agent's file that exists but cannot be read. Undefined if the agent exists or is gone. */
  whyUnreadable(id: string): Diagnostic | undefined;
  /** Applies the changes of a fork's request to the agent. Throws AgentTextUnusable. */
  variantOf?(agent: Agent, request: ExecutionRequest): Promise<Agent>;
  /** Rereads the agents' files, because a machine may receive a run before it notices a new file. */
  rereadAgents?: () => Promise<unknown>;
  /** Returns the problem of an agent's file if its last good definition is used instead. */
  whyStale?: (id: string) => Diagnostic | undefined;
  /** Returns the budgets that all runs of an agent count in. */
  budgetsOf: (agent: Agent) => Budget[];
  /** Returns the current definition of an agent, read from its file. */
  currentAgent(id: string): Promise<Agent | undefined>;
  /** Returns the maximum number of ancestors. */
  maxAgentDepth: () => number;
};
