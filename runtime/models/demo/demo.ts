// The `demo` provider: scripted models that need no key and no network. `demo/report` is for a first try, `demo/script` for
// tests of an agent's guards, triggers and limits, and `demo/echo` for a smoke test.
import type { Clock } from "../../../base/clock.ts";
import { DEMO_MODEL_NAMES } from "./demo_names.ts";
import { DemoTurn } from "./demo_turn.ts";
import { echoStep, reportStep } from "./demo_report.ts";
import { type DemoStep, scriptStep } from "./demo_script.ts";
import type { AssistantMessage } from "../message.ts";
import {
  type Model,
  type ModelDelta,
  ModelError,
  type ModelReply,
  type ModelRequest,
} from "../model.ts";
import { estimateInputTokens, estimateOutputTokens } from "../token_estimate.ts";

/**
 * The demo models. Each computes its next reply from the conversation so far:
 * - `report` reads the first file in the task, writes a report on it to the second (default: `report.md`), and answers;
 * - `script` plays the steps of the task's ```` ```demo ```` block (see demo_script.ts);
 * - `echo` answers with the user turn.
 */
const DEMO_MODELS: Readonly<
  Record<
    typeof DEMO_MODEL_NAMES[number],
    { step: (turn: DemoTurn) => DemoStep; pauseMs: number }
  >
> = {
  report: { step: reportStep, pauseMs: 12 },
  script: { step: scriptStep, pauseMs: 0 },
  echo: { step: echoStep, pauseMs: 0 },
};

/** Creates a scripted model. Throws ModelError for a name that is not in `DEMO_MODEL_NAMES`. */
export function createDemoModel(options: { name: string; clock: Clock }): Model {
  const { name, clock } = options;
  const known = DEMO_MODEL_NAMES.find((one) => one === name);
  if (known === undefined) {
    throw new ModelError(
      `Unknown model "demo/${name}": the demo provider has ${DEMO_MODEL_NAMES.join(", ")}`,
      { retryable: false },
    );
  }
  return new DemoModel(`demo/${name}`, { ...DEMO_MODELS[known], clock });
}

const WORDS_PER_DELTA = 3;
const MAX_DELTAS = 200;

class DemoModel implements Model {
  readonly id: string;
  readonly #step: (turn: DemoTurn) => DemoStep;
  readonly #pauseMs: number;
  readonly #clock: Clock;

  constructor(
    id: string,
    options: { step: (turn: DemoTurn) => DemoStep; pauseMs: number; clock: Clock },
  ) {
    this.id = id;
    this.#step = options.step;
    this.#pauseMs = options.pauseMs;
    this.#clock = options.clock;
  }

  async *generate(
    request: ModelRequest,
    options: { signal: AbortSignal },
  ): AsyncGenerator<ModelDelta, ModelReply, void> {
    const { signal } = options;
    signal.throwIfAborted();
    const turn = new DemoTurn(request.messages);
    const step = this.#step(turn);
    if (step.delayMs > 0) await this.#clock.sleep(step.delayMs, signal);
    yield* this.#stream(step.text, signal);
    if (step.failure !== null) {
      throw new ModelError(`demo: ${step.failure.message}`, {
        retryable: step.failure.retryable,
      });
    }
    const message: AssistantMessage = {
      role: "assistant",
      content: step.text,
      // The id is deterministic for a conversation, and unique within it.
      toolCalls: step.calls.map((call, index) => ({
        id: `demo_${request.messages.length}_${index + 1}`,
        ...call,
      })),
    };
    const { input, output } = step.usage ?? {
      input: estimateInputTokens(request),
      output: estimateOutputTokens(message),
    };
    return {
      message,
      stop: step.stop ?? (step.calls.length > 0 ? "tool_calls" : "end"),
      usage: { inputTokens: input, outputTokens: output, cacheReadTokens: 0, cacheWriteTokens: 0 },
      reportedCostUsd: step.costUsd,
    };
  }

  async *#stream(text: string, signal: AbortSignal): AsyncGenerator<ModelDelta, void, void> {
    for (const piece of piecesOf(text)) {
      signal.throwIfAborted();
      yield { type: "text", text: piece };
      if (this.#pauseMs > 0) await this.#clock.sleep(this.#pauseMs, signal);
    }
    signal.throwIfAborted();
  }
}

/**
 * Splits a text into pieces of a few words for streaming. A long text gets longer pieces, so that there are at most a few
 * hundred.
 */
function piecesOf(text: string): string[] {
  if (text.length > 20_000) {
    const size = Math.ceil(text.length / MAX_DELTAS);
    const pieces: string[] = [];
    for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size));
    return pieces;
  }
  const words = text.match(/\s*\S+\s*?(?=\s|$)|\s+/g) ?? [];
  const perDelta = Math.max(WORDS_PER_DELTA, Math.ceil(words.length / MAX_DELTAS));
  const pieces: string[] = [];
  for (let at = 0; at < words.length; at += perDelta) {
    pieces.push(words.slice(at, at + perDelta).join(""));
  }
  return pieces;
}
