// Implements the model of a play: checks each request and returns the recorded replies in order.
import type { Model, ModelDelta, ModelReply, ModelRequest } from "../models/model.ts";
import { BUDGET_TOOL } from "../executions/budget/budget_question.ts";
import type { CassetteReply } from "./cassette.ts";
import type { Difference } from "./difference.ts";
import type { Playback } from "./playback.ts";

/** A request of a play. */
export interface PlayedRequest {
  request: ModelRequest;
  /** The number of the model call, beginning at 1. */
  call: number;
}

/** Returns the differences between a request and the recorded one. */
export type RequestCheck = (asked: PlayedRequest) => Difference[];

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
    if (step?.type === "question" && step.tool_name === BUDGET_TOOL) {
      playback.stop({ kind: "budget", question: step });
    }
    if (step?.type === "question") {
      playback.stop({
        kind: "differs",
        differences: [{
          kind: "question",
          call: script.replies,
          what: `the call of ${step.tool_name}`,
          recorded: `a person was asked: ${step.message}`,
          today: "nobody is asked",
        }],
      });
    }
    const differences = this.#check({ request, call });
    if (differences.length > 0) playback.stop({ kind: "differs", differences });
    if (step === undefined) playback.stop({ kind: "end" });
    script.take();
    clock.set(step.at);
    this.#costUsd = step.cost_usd;
    return toReply(step);
  }
}

function toReply(step: CassetteReply): ModelReply {
  const { content, calls, provider_data: providerData, stop, usage, cost_usd } = step;
  return {
    message: {
      role: "assistant",
      content,
      toolCalls: calls.map(({ id, name, arguments: args, written }) => (
        { id, name, arguments: args, ...(written && { written }) }
      )),
      ...(providerData !== undefined && { providerData }),
    },
    stop: stop ?? (calls.length > 0 ? "tool_calls" : "end"),
    usage: usage && {
      inputTokens: usage.input_tokens,
      outputTokens: usage.output_tokens,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
    },
    reportedCostUsd: cost_usd,
  };
}
