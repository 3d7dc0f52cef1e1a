// The report of a replay: the first difference between the recorded run and a run of the current agent.

/** One difference. Texts may contain secrets until they are redacted. */
export interface Difference {
  /**
   * `message`, `tool` and `setting`: the request to the model differs. `question`: a question to a person is new or
   * missing. `end`: the run ends or continues. `log`: only the log differs.
   */
  kind: "message" | "tool" | "setting" | "question" | "end" | "log";
  /** The model call with the difference, from 1: a step of the run. 0: before the first call. */
  call: number;
  /** The part that differs: `system message`, `tool file_read`, `temperature`. */
  what: string;
  /** The recorded value; null: absent. */
  recorded: string | null;
  /** The current value; null: absent. */
  today: string | null;
}

/** The result of a replay. */
export interface Replay {
  /**
   * Empty: the current agent does the same as the recorded run. Otherwise the differences at the first step that differs.
   */
  differences: Difference[];
  /** The number of equal steps. A step is a reply with the results of its calls. */
  steps: number;
  /** The number of recorded steps. */
  recordedSteps: number;
  /** The parts that could not be compared, as sentences. */
  notes: string[];
}
