// How it is told what a call would do, and what stands in the place of one that a dry run does not make.

/** A change of a file, as it is shown. */
export interface CallPreview {
  /** As tools show paths. */
  path: string;
  /** See UnifiedDiff; of a move, two lines that say so. No secrets. */
  diff: string;
  /** Lines. */
  added: number;
  removed: number;
  isNewFile: boolean;
  /** Why nothing can be shown, or why the call would fail. */
  problem: string | null;
}

/** A call that a dry run described instead of making it. */
export interface DescribedCall {
  /** Whose call it was: of the execution itself, or of one below it. */
  executionId: number;
  agentId: string;
  toolName: string;
  /** What it would have done, on one line: `write notes/report.md (+3 -2)`. */
  summary: string;
  /** Null for a call that does nothing to files. */
  preview: CallPreview | null;
}
