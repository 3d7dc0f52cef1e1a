// Implements the model of a play: checks each request and returns the recorded replies in order.
import type { Model, ModelDelta, ModelReply, ModelRequest } from "../models/model.ts";
import { BUDGET_TOOL } from "../executions/budget/budget_question.ts";
import type { Difference } from "./difference.ts";
import type { Playback } from "./playback.ts";

/** Returns the differences between a request and the recorded one. `call` is the number of the model call, beginning at 1. */
export type RequestCheck = (request: ModelRequest, call: number) => Difference[];

/** A model that checks requests and returns recorded replies. */
export class PlayedModel implements Model {
  readonly id: string;
  readonly #playback: Playback;
  readonly #check: RequestCheck;
  #costUsd: number | null = null;

  constructor(id: string, options: { playback: Playback; check: RequestCheck }) {
    this.id = id;
    this.#playback = options.playback;
    this.#check = options.check;
  }

  /** The recorded cost of the last reply in dollars. Null if unknown. */
  get costUsd(): number | null {
    return this.#costUsd;
  }

  async *generate(request: ModelRequest): AsyncGenerator<ModelDelta, ModelReply, void> {
    const playback: Playback = this.#playback;
    const { script, clock } = playback;
    for (let step = script.peek(); step?.type === "notice"; step = script.peek()) {
      script.take();
      clock.set(step.at);
      yield { type: "notice", level: step.level, text: step.text };
    }
    const next = script.peek();
    const step = next?.type === "notice" ? undefined : next;
    const call = script.replies + 1;
    if (step?.type === "prompt" || step?.type === "message") playback.stop({ kind: "restart" });
    if (step?.type === "question") {
      if (step.request.toolName !== BUDGET_TOOL) playback.stopAtMissing(step);
      playback.stop({ kind: "budget", question: step });
    }
    const differences = this.#check(request, call);
    if (differences.length > 0) playback.stop({ kind: "differs", differences });
    if (step === undefined) playback.stop({ kind: "end" });
    script.take();
    clock.set(step.at);
    const { message, usage, costUsd } = step;
    this.#costUsd = costUsd;
    const stop = message.stop ?? (message.toolCalls.length > 0 ? "tool_calls" : "end");
    return { message, stop, usage, reportedCostUsd: costUsd };
  }
}
