// The data types of completions.

/** A possible completion of the word at the cursor. */
export interface Candidate {
  value: string;
  /** A description of one line; may be empty. */
  description: string;
}

/** The names that the shell itself completes if there are no candidates. */
export type Fallback = "none" | "files" | "directories";

/** The result of pressing the Tab key once. */
export interface Completion {
  candidates: readonly Candidate[];
  fallback: Fallback;
}
