// Defines the operations on recorded runs.
import type { Execution } from "../executions/execution.ts";
import type { Replay } from "../replay/difference.ts";
import type { ForkRequest } from "../replay/fork_request.ts";

/** Operations on recorded runs. */
export interface RecordedRuns {
  /**
   * Replays a run offline with its current agent. The report contains no secrets. With `withAllTools`, custom tools and MCP
   * servers are started for their declarations, but no tool is called. Throws ExecutionNotFound, AgentNotFound,
   * ConversationGone and DryRunNotPlayed.
   */
  replay(id: number, options: { withAllTools: boolean }): Promise<Replay>;
  /**
   * Accepts a run that continues from a step of another run. The execution is stored before this method returns. Throws
   * ExecutionNotFound, AgentNotFound, ConversationGone, NoSuchStep, AgentTextUnusable, and the errors of run().
   */
  fork(id: number, request: ForkRequest): Promise<Execution>;
}
