// What a replay tells: the places where a run would go another way today than it went when it was recorded.

/** One difference. Texts may hold secrets until they are redacted. */
export interface Difference {
  /**
   * `message`, `tool` and `setting`: of what the model is sent. `question`: a person is asked, or not any more. `end`: the run
   * ends, or goes on. `log`: all of that is the same, and the log differs.
   */
  kind: "message" | "tool" | "setting" | "question" | "end" | "log";
  /** The model call at which it shows, 1-based: a step of the run. 0: before the first. */
  call: number;
  /** What differs: `system message`, `tool file_read`, `temperature`. */
  what: string;
  /** As it was; null where it was not. */
  recorded: string | null;
  /** As it would be; null where it would not be. */
  today: string | null;
}

/** What a replay came to. */
export interface Replay {
  /** None: today's agent does what the recorded run did. Else those of the first place that differs. */
  differences: Difference[];
  /** How many steps (replies with the results of their calls) are the same. */
  steps: number;
  /** How many there are. */
  recordedSteps: number;
  /** What could not be compared, as sentences. */
  notes: string[];
}
