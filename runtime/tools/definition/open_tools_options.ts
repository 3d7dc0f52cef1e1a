// The options for opening an agent's tools.

/** Reports to the viewers of a run the activity that it waits for. */
export type ReportActivity = (level: "info" | "warn", text: string) => Promise<void>;

/** Options for a run, or for an inspection only. */
export interface OpenToolsOptions {
  signal: AbortSignal;
  /** Called with the activity that the opening waits for. */
  report?: ReportActivity;
  /**
   * Set for an inspection: called with the reason that a tool is unavailable; the tool is then left out instead of refused.
   * An inspection has no side effects: warnings and notes that a run records once stay due for the next run.
   */
  onUnavailable?: (reason: string) => void;
  /** Set if nothing may be started: custom tools and MCP servers are left out. */
  offline?: true;
}
