// What the Tab key offers, and what shells are told to do where nothing of ours fits.

/** One thing that may stand where the cursor is. */
export interface Candidate {
  value: string;
  /** One line; may be empty. */
  description: string;
}

/** What a shell itself offers when there is no candidate. */
export type Fallback = "none" | "files" | "directories";

/** The answer to one press of the Tab key. */
export interface Completion {
  candidates: readonly Candidate[];
  fallback: Fallback;
}
