// The preview of a tool call, and the description that replaces a call in a dry run.

/** A change to a file, formatted for display. */
export interface CallPreview {
  /** The file's path in the tools' notation. */
  path: string;
  /** A unified diff (see UnifiedDiff), or two lines for a move. Without secrets. */
  diff: string;
  /** In lines. */
  added: number;
  removed: number;
  isNewFile: boolean;
  /** The reason that there is no preview, or that the call would fail. */
  problem: string | null;
}

/** A call that a dry run described instead of making it. */
export interface DescribedCall {
  /** The execution of the call: the dry run's own, or one below it. */
  executionId: number;
  agentId: string;
  toolName: string;
  /** The effect on one line: `write notes/report.md (+3 -2)`. */
  summary: string;
  /** Null for a call that changes no file. */
  preview: CallPreview | null;
}
