// The objects outside this folder that the runner needs.
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
import type { RestStore } from "../record/ending_store.ts";
import type { CredentialStore } from "../../tools/mcp/sign_in/credentials.ts";
import type { SharedRuns } from "./shared_runs.ts";

/** The objects that the runner needs. The other files of this folder pick their ports from this type. */
export type RunnerPorts = RunPorts & JournalPorts & {
  acceptances: AcceptanceStore;
  executions: Pick<ExecutionReads, "readExecution">;
  families: Pick<FamilyStore, "findChild" | "listChildren" | "countUnsafeCalls">;
  recovery: RecoveryStore;
  rests: RestStore;
  events: EventBus;
  /** Makes the next redaction of a run check for changed secrets. */
  renewSecrets?: () => void;
  /** The maximum number of runs from the shared queue that this machine runs at once. */
  places?: number;
  /** The shared queue. Present if several machines share the database. */
  shared?: SharedRuns;
  /**
   * Returns the problem of an agent's file that exists but cannot be read. Returns undefined if the file can be read or is
   * gone.
   */
  whyUnreadable(id: string): Diagnostic | undefined;
  /** Returns the agent of a file that is not written yet, for a trial of its text. */
  unsavedAgent?(id: string): Agent;
  /** Returns the agent with the changes of a request. Throws AgentTextUnusable and EditorFolderUnusable. */
  variantOf?(agent: Agent, request: ExecutionRequest): Promise<Agent>;
  /**
   * Reads the agents' files again. Needed because another machine may accept a run of a new agent before this machine
   * notices the agent's file.
   */
  rereadAgents?: () => Promise<unknown>;
  /** Returns the problem of an agent's file if the last valid definition is used instead. Returns undefined otherwise. */
  whyStale?: (id: string) => Diagnostic | undefined;
  /** Returns the daily and monthly budgets that an agent's runs count toward. */
  budgetsOf: (agent: Agent) => Budget[];
  /** Reads an agent's file and returns its current definition, or undefined if there is no agent. */
  currentAgent(id: string): Promise<Agent | undefined>;
  /** Opens the stored sign-ins to remote MCP servers. */
  openCredentials: () => Promise<CredentialStore>;
};
