// The failed delegation to an agent that is not there, now.
import { ToolFailure } from "./tool_failure.ts";

/** Nobody can tell a file that is gone from one that is being written: the model is told both. */
export class AgentUnavailable extends ToolFailure {
  constructor(id: string) {
    super(`Agent "${id}" cannot be run now: its file is missing or cannot be read`);
  }
}
