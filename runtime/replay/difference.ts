// Defines the report of a replay: the first difference between the recorded run and a run of the current agent.

/** A difference between the recorded run and the replay. The texts may contain secrets and must be redacted. */
export interface Difference {
  /**
   * The kind of the difference. `message`, `tool` and `setting`: the request to the model differs. `question`: a question
   * to a person is new or missing. `end`: only one of the two runs ends here. `log`: only the log differs.
   */
  kind: "message" | "tool" | "setting" | "question" | "end" | "log";
  /** The number of the model call with the difference, beginning at 1. 0 for a difference before the first call. */
  call: number;
  /** The part that differs, such as `system message`, `tool file_read` or `temperature`. */
  what: string;
  /** The recorded value. Null if there is none. */
  recorded: string | null;
  /** The current value. Null if there is none. */
  today: string | null;
}

/** The result of a replay. */
export interface Replay {
  /** The differences at the first step that differs. Empty if the current agent does the same as the recorded run. */
  differences: Difference[];
  /** The number of equal steps. A step is a reply with the results of its calls. */
  steps: number;
  /** The number of recorded steps. */
  recordedSteps: number;
  /** A sentence for each part that could not be compared. */
  notes: string[];
}
