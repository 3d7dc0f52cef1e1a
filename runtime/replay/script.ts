// Tracks the position in a cassette during a play: the next step, and the state of the last reply.
import type {
  Cassette,
  CassettePrompt,
  CassetteQuestion,
  CassetteReply,
  CassetteResult,
  CassetteStep,
} from "./cassette.ts";

/** The position in a cassette during a play. */
export class Script {
  readonly #steps: readonly CassetteStep[];
  readonly outcome: Cassette["outcome"];
  #next = 0;
  #reply: CassetteReply | undefined;
  #behindReply = 0;
  #replies = 0;
  #callsBefore = 0;

  constructor({ steps, outcome }: Cassette) {
    this.#steps = steps;
    this.outcome = outcome;
  }

  /** Returns the next step without moving on. Undefined at the end. */
  peek(): CassetteStep | undefined {
    return this.#steps[this.#next];
  }

  /** Moves past the next step. */
  take(): void {
    const step = this.#steps[this.#next++];
    if (step?.type !== "reply") return;
    this.#callsBefore += this.#reply?.results.length ?? 0;
    this.#reply = step;
    this.#behindReply = this.#next;
    this.#replies++;
  }

  /** The number of replies so far. */
  get replies(): number {
    return this.#replies;
  }

  /** The number of steps since the last reply. */
  get behindReply(): number {
    return this.#next - this.#behindReply;
  }

  /** The number of calls in the replies before the last one. */
  get callsBefore(): number {
    return this.#callsBefore;
  }

  /** Returns the recorded result of the last reply's call with this id, or undefined. */
  resultOf(id: string): CassetteResult | undefined {
    const index = this.#reply?.message.toolCalls.findIndex((call) => call.id === id) ?? -1;
    return this.#reply?.results[index];
  }

  /** The number of recorded results of the last reply. */
  get recordedResults(): number {
    return this.#reply?.results.filter((result) => result !== undefined).length ?? 0;
  }

  /** True if the run ended while calls of its last reply were open. */
  get endsInCalls(): boolean {
    return this.peek() === undefined &&
      (this.#reply?.results.includes(undefined) ?? false);
  }

  /**
   * Returns the questions that a call of the last reply asked itself, in order. Questions for the permission to make the
   * call are left out.
   */
  questionsOf(id: string): CassetteQuestion[] {
    const rest = this.#steps.slice(this.#behindReply);
    const end = rest.findIndex(({ type }) => type === "reply");
    return rest.slice(0, end < 0 ? undefined : end).filter((step): step is CassetteQuestion =>
      step.type === "question" && step.call === id && !step.request.isGuard
    );
  }

  /** Returns the next prompt if only notices precede it. Undefined otherwise. For `logged`, see isDue(). */
  nextPrompt(logged: number): CassettePrompt | undefined {
    const next = this.#steps.slice(this.#next).find(({ type }) => type !== "notice");
    return next?.type === "prompt" && this.isDue(next, logged) ? next : undefined;
  }

  /**
   * Returns true if all results that precede a step are logged. `logged` is the number of logged results of all replies.
   */
  isDue(step: CassetteStep, logged: number): boolean {
    return !("resultsBefore" in step) || step.resultsBefore === undefined ||
      this.#callsBefore + step.resultsBefore <= logged;
  }

  /** True if the run ended before its first prompt was created. */
  get hasNoBeginning(): boolean {
    return this.outcome !== null && this.#steps.every(({ type }) => type === "notice");
  }
}
