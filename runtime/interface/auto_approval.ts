// Defines the change of an agent's file by which calls need no approval any more.
import type { Caller } from "../vocabulary/callers.ts";

/** A request to free calls of a tool from approval. */
export interface ApprovalRequest {
  /** The tool's name, or `server/tool`. */
  tool: string;
  /** A command of the tool `shell`. Only this command and similar ones are freed, not the tool. */
  command?: string | undefined;
  /** False if only the diff is wanted. */
  write: boolean;
  /** The sender, for the audit. */
  by?: Caller;
}

/** The change of an agent's file that frees calls of a tool from approval. */
export interface AutoApproval {
  /** The absolute path of the agent's file. */
  path: string;
  /** The change as a unified diff without secrets (see UnifiedDiff). Empty if nothing changes. */
  diff: string;
  written: boolean;
  /** True if the tool already runs without approval. */
  already: boolean;
}
