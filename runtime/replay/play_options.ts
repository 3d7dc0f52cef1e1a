// Defines the inputs of a play.
import type { Agent } from "../agents/agent.ts";
import type { FrameStore } from "../events/frame_store.ts";
import type { RunPorts } from "../executions/loop/run_ports.ts";
import type { AcceptanceStore } from "../executions/record/acceptance_store.ts";
import type { DeclaredTool } from "../executions/record/call_terms.ts";
import type { Seed } from "../executions/record/conversation_store.ts";
import type { ExecutionReads } from "../executions/record/execution_reads.ts";
import type { FamilyStore } from "../executions/record/family_store.ts";
import type { JournalStores } from "../executions/record/journal_ports.ts";
import type { RestStore } from "../executions/record/rest_store.ts";
import type { RequestCheck } from "./played_model.ts";

/** Empty stores in memory, in which a run is played. */
export interface PlayStores extends JournalStores, Disposable {
  acceptances: AcceptanceStore;
  executions: Pick<ExecutionReads, "readExecution">;
  families: FamilyStore;
  rests: RestStore;
  frames: FrameStore;
}

/** The objects that a play needs. Those of the service are only read. */
export type PlayPorts =
  & Pick<
    RunPorts,
    | "environment"
    | "findAgent"
    | "isProviderKey"
    | "keyRedactor"
    | "openFormat"
    | "openSandbox"
    | "openTools"
    | "redactor"
  >
  & { openStores(): PlayStores };

/** Options of playCassette(). */
export interface PlayOptions {
  /** The current agent. */
  agent: Agent;
  ports: PlayPorts;
  /**
   * Returns the tools that exist only in the recorded run, as they were at a model call. The first call is 1. An MCP server
   * may have changed them during the run.
   */
  recordedTools?: (call: number) => readonly DeclaredTool[];
  /** Checks each request to the model. A difference ends the play. */
  check?: RequestCheck;
  /** The messages of earlier runs that replace the recorded ones. */
  seed?: Seed;
}
