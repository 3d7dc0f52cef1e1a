// How the tools of an agent are opened.
import type { Tell } from "./mcp/mcp_server.ts";

/** For a run, or only to be looked at. */
export interface OpenToolsOptions {
  signal: AbortSignal;
  /** Is told what is waited for. */
  tell?: Tell;
  /**
   * Set by who only looks: hears why something is not available, which is left out then instead of refused. Such a look
   * leaves nothing behind: what a run is warned of once, or what it notes, is still new to the next run.
   */
  leaveOut?: (reason: string) => void;
  /** Set by who may start nothing: custom tools and MCP servers are left out. */
  offline?: true;
}
