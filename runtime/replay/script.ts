// The steps of a cassette while it is played: which one comes next, and what belongs to the reply that came last.
import type {
  Cassette,
  CassetteCall,
  CassetteQuestion,
  CassetteReply,
  CassetteStep,
} from "./cassette.ts";

/** A question with an id: one that was written by hand may have none. */
export type ScriptQuestion = CassetteQuestion & { request_id: string };
/** A step of a script. */
export type ScriptStep = Exclude<CassetteStep, CassetteQuestion> | ScriptQuestion;

/** A place in a cassette. */
export class Script {
  readonly #steps: readonly ScriptStep[];
  readonly outcome: Cassette["outcome"];
  #next = 0;
  #reply: CassetteReply | undefined;
  #behindReply = 0;
  #replies = 0;
  #callsBefore = 0;

  constructor({ steps, outcome }: Pick<Cassette, "steps" | "outcome">) {
    this.#steps = steps.map((step, index) =>
      step.type === "question" ? { ...step, request_id: step.request_id ?? `${index}` } : step
    );
    this.outcome = outcome;
  }

  /** What comes next; undefined behind the last. */
  peek(): ScriptStep | undefined {
    return this.#steps[this.#next];
  }

  /** Goes on behind what comes next. */
  take(): void {
    const step = this.#steps[this.#next++];
    if (step?.type !== "reply") return;
    this.#callsBefore += this.#reply?.calls.length ?? 0;
    this.#reply = step;
    this.#behindReply = this.#next;
    this.#replies++;
  }

  /** How many replies were taken. */
  get replies(): number {
    return this.#replies;
  }

  /** How many steps were taken since the last reply. */
  get behindReply(): number {
    return this.#next - this.#behindReply;
  }

  /** How many calls the replies before the last one had. */
  get callsBefore(): number {
    return this.#callsBefore;
  }

  /** A call of the last reply. */
  call(id: string): CassetteCall | undefined {
    return this.#reply?.calls.find((call) => call.id === id);
  }

  /** How many results of the last reply are recorded. */
  get recordedResults(): number {
    return this.#reply?.calls.filter(({ result }) => result !== undefined).length ?? 0;
  }

  /** Whether the run ended while calls of its last reply were still open. */
  get endsInCalls(): boolean {
    return this.peek() === undefined &&
      (this.#reply?.calls.some(({ result }) => result === undefined) ?? false);
  }

  /** What a call of the last reply asked by itself, in the order of asking. */
  questionsOf(id: string): ScriptQuestion[] {
    const rest = this.#steps.slice(this.#behindReply);
    const end = rest.findIndex(({ type }) => type === "reply");
    return rest.slice(0, end < 0 ? undefined : end).filter((step): step is ScriptQuestion =>
      step.type === "question" && step.call === id && !step.is_guard
    );
  }

  /** The prompt that is made next, where the log has one before anything else but notices. `logged`: see isDue(). */
  nextPrompt(logged: number): Extract<CassetteStep, { type: "prompt" }> | undefined {
    const next = this.#steps.slice(this.#next).find(({ type }) => type !== "notice");
    return next?.type === "prompt" && this.isDue(next, logged) ? next : undefined;
  }

  /** Whether all results stand in the log that stand before a step. `logged`: how many there are, of all replies. */
  isDue(step: ScriptStep, logged: number): boolean {
    return !("results" in step) || step.results === undefined ||
      this.#callsBefore + step.results <= logged;
  }

  /** Whether the run failed, or was ended, before anything was made for its model. */
  get hasNoBeginning(): boolean {
    return this.outcome !== null && this.#steps.every(({ type }) => type === "notice");
  }
}
