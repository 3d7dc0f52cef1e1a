// The options for opening an agent's tools, and the callback that reports progress.

/** A function that shows the viewers of a run a text about the operation that the run waits for. */
export type ReportActivity = (level: "info" | "warn", text: string) => Promise<void>;

/** The options for opening an agent's tools, for a run or for an inspection. */
export interface OpenToolsOptions {
  signal: AbortSignal;
  /** Called with a text about each operation that the opening waits for, such as the start of a server. */
  report?: ReportActivity;
  /**
   * Set only for an inspection of the tools. Called with the reason that a tool is unavailable, which is then left out. An
   * inspection has no side effects: it neither logs nor stores the warnings that a run reports once.
   */
  onUnavailable?: (reason: string) => void;
  /** Set if no program may be started and no server contacted: custom tools and MCP servers are left out. */
  offline?: true;
}
