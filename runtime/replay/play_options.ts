// Defines the inputs of a play.
import type { Agent } from "../agents/agent.ts";
import type { RunPorts } from "../executions/loop/run_ports.ts";
import type { DeclaredTool } from "../executions/record/call_terms.ts";
import type { Seed } from "../executions/record/conversation_store.ts";
import type { RecordedRun } from "../executions/record/recorded_run.ts";
import type { RequestCheck } from "./played_model.ts";
import type { PlayStores } from "./played_stores.ts";

/** The objects that a play needs. Those of the service are only read. */
export type PlayPorts =
  & Pick<
    RunPorts,
    | "findAgent"
    | "isProviderKey"
    | "keyRedactor"
    | "openFormat"
    | "openSandbox"
    | "openTools"
    | "redactor"
    | "settings"
  >
  & { openStores(): PlayStores };

/** Options of playCassette(). */
export interface PlayOptions {
  /** The recorded run of the cassette. */
  run: RecordedRun;
  /** The current agent. */
  agent: Agent;
  ports: PlayPorts;
  /**
   * Returns the tools that exist only in the recorded run, as they were at a model call. The first call is 1. An MCP server
   * may have changed them during the run.
   */
  recordedTools?: (call: number) => readonly DeclaredTool[];
  /** Checks each request to the model. A difference ends the play. */
  check: RequestCheck;
  /** The messages of earlier runs that replace the recorded ones. */
  seed?: Seed;
}
