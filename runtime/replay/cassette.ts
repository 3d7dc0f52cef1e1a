// Defines the cassette: one recorded run as a script that can be played without a model and tools. create_cassette.ts creates
// cassettes, player.ts plays them.
import type { Outcome } from "../executions/record/ending_store.ts";
import type { PromptFacts } from "../executions/loop/run_ports.ts";
import type { RecordedQuestion } from "../executions/record/recorded_run.ts";
import type { AssistantMessage } from "../models/message.ts";
import type { Usage } from "../models/model.ts";
import type { Media } from "../vocabulary/tool_vocabulary.ts";

/** The place of a step in the log. */
export interface StepPlace {
  /** The number of the last reply's results that precede the step. Absent before the first reply. */
  resultsBefore?: number;
}

/** The recorded result of a call. For a delegation, the result that the parent's model received. */
export interface CassetteResult {
  /** The text of the result, without the remark of a person's approval. */
  content: string;
  isError: boolean;
  /** The instructions that the result added to the conversation. */
  instructions?: string;
  /** The images and PDF files that the model received with the result. */
  media?: readonly Media[];
  /** The number of steps between the reply and the result in the log. */
  after: number;
}

/** A reply of the model with the results of its calls. */
export interface CassetteReply {
  type: "reply";
  message: AssistantMessage;
  /** The results in the order of the calls. Undefined if the run ended before the result. */
  results: readonly (CassetteResult | undefined)[];
  /** The tokens of the reply. Null if the endpoint reported none. */
  usage: Usage | null;
  /** The cost of the reply in dollars. Null if no price is known. */
  costUsd: number | null;
  at: number;
}

/** A question to a person. The answer is null if nobody answered, and the run ended or still waits. */
export interface CassetteQuestion extends RecordedQuestion {
  type: "question";
  /** The id of the call that asked the question. Null if a delegated execution asked it, or if it was about a budget. */
  call: string | null;
  /** The time of the answer. Absent if the log has none. */
  answeredAt?: number;
}

/** A created prompt. A second prompt means that the run was continued with a changed prompt. */
export interface CassettePrompt extends PromptFacts, StepPlace {
  type: "prompt";
  now: number;
  timeZone: string;
}

/** A step of a run. */
export type CassetteStep =
  | CassettePrompt
  | CassetteReply
  | CassetteQuestion
  /** A person's message at the beginning of a fork. */
  | { type: "message"; content: string; at: number }
  /** A notice for the people who follow the run. */
  | { type: "notice"; level: "info" | "warn"; text: string; at: number } & StepPlace;

/** The recorded end of a run. */
export type RecordedOutcome =
  & Pick<Outcome, "status" | "error" | "output" | "cut">
  & { at: number };

/** One run as a script. */
export interface Cassette {
  /** The steps in the order of the log. */
  steps: readonly CassetteStep[];
  /** The end of the run. Null if the run had not ended. */
  outcome: RecordedOutcome | null;
}
