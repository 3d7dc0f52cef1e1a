// The preview of a tool call, the description that replaces a call in a dry run, and the change that a call made.

/** A change to a file, formatted for display. */
export interface CallPreview {
  /** The file's path as the tools write it. */
  path: string;
  /** A unified diff (see UnifiedDiff), or two lines for a move. Secrets are redacted. */
  diff: string;
  /** The number of added lines. */
  added: number;
  removed: number;
  isNewFile: boolean;
  /** The reason why there is no preview or why the call would fail. Null if there is none. */
  problem: string | null;
}

/** A call that a dry run described instead of making it, or a call that changed a file. */
export interface DescribedCall {
  /** The execution of the call: the dry run or one of its descendants. */
  executionId: number;
  agentId: string;
  toolName: string;
  /** One line that says what the call would do, such as `write notes/report.md (+3 -2)`. */
  summary: string;
  /** The preview of the changed file. Null for a call that changes no file. */
  preview: CallPreview | null;
  /** Present if the call was made, so that the preview is the change that it made. */
  isDone?: true;
}
