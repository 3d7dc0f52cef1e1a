// The types of a completion.

/** One completion of the word at the cursor. */
export interface Candidate {
  value: string;
  /** One line; may be empty. */
  description: string;
}

/** The completion by the shell itself if there is no candidate. */
export type Fallback = "none" | "files" | "directories";

/** The completions of one press of the Tab key. */
export interface Completion {
  candidates: readonly Candidate[];
  fallback: Fallback;
}
