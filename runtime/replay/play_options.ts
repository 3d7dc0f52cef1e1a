// What a play is given.
import type { Agent } from "../agents/agent.ts";
import type { FrameStore } from "../events/frame_store.ts";
import type { RunPorts } from "../executions/loop/run_ports.ts";
import type { AcceptanceStore } from "../executions/record/acceptance_store.ts";
import type { DeclaredTool } from "../executions/record/call_terms.ts";
import type { Seed } from "../executions/record/conversation_store.ts";
import type { ExecutionReads } from "../executions/record/execution_reads.ts";
import type { FamilyStore } from "../executions/record/family_store.ts";
import type { JournalStores } from "../executions/record/journal_ports.ts";
import type { RequestCheck } from "./played_model.ts";

/** An empty store in memory. */
export interface PlayStores extends JournalStores, Disposable {
  acceptances: AcceptanceStore;
  executions: Pick<ExecutionReads, "readExecution">;
  families: FamilyStore;
  frames: FrameStore;
}

/** What a play is made with: of a service it takes what only looks. */
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

/** How a cassette is played. */
export interface PlayOptions {
  /** The agent as it is now. */
  agent: Agent;
  ports: PlayPorts;
  /** Tools that stand in the record alone. */
  recordedTools?: readonly DeclaredTool[];
  /** Told of each request to the model; differences end the play. */
  check?: RequestCheck;
  /** The messages of earlier runs instead of the recorded ones. */
  seed?: Seed;
}
