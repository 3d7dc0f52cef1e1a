// The `demo` provider: scripted models that need no key and no network. `demo/report` is for a first try, `demo/script` for
// tests of an agent's guards, triggers and limits, and `demo/echo` for a smoke test.
import type { Clock } from "../../../base/clock.ts";
import { DEMO_MODEL_NAMES } from "./demo_names.ts";
import { DemoTurn } from "./demo_turn.ts";
import { echoStep, reportStep } from "./demo_report.ts";
import { type DemoStep, scriptStep } from "./demo_script.ts";
import type { AssistantMessage } from "../message.ts";
import { type Model, ModelError, refusal, uncachedUsage } from "../model.ts";
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
export function createModel({ name, clock }: { name: string; clock: Clock }): Model {
  const known = DEMO_MODEL_NAMES.find((one) => one === name);
  if (known === undefined) {
    throw refusal(
      `Unknown model "demo/${name}": the demo provider has ${DEMO_MODEL_NAMES.join(", ")}`,
    );
  }
  const { step: stepOf, pauseMs } = DEMO_MODELS[known];
  return {
    id: `demo/${name}`,
    async *generate(request, { signal }) {
      signal.throwIfAborted();
      const step = stepOf(new DemoTurn(request.messages));
      const { say = "", call = [], fail, retryable = false, delay_ms: delayMs = 0 } = step;
      if (delayMs > 0) await clock.sleep(delayMs, signal);
      for (const text of piecesOf(say)) {
        signal.throwIfAborted();
        yield { type: "text", text };
        if (pauseMs > 0) await clock.sleep(pauseMs, signal);
      }
      signal.throwIfAborted();
      if (fail !== undefined) throw new ModelError(`demo: ${fail}`, { retryable });
      const message: AssistantMessage = {
        role: "assistant",
        content: say,
        // The id is deterministic for a conversation, and unique within it.
        toolCalls: call.map(({ name, arguments: given }, index) => ({
          id: `demo_${request.messages.length}_${index + 1}`,
          name,
          arguments: typeof given === "string" ? given : JSON.stringify(given),
        })),
      };
      const { input, output } = step.usage ?? {
        input: estimateInputTokens(request),
        output: estimateOutputTokens(message),
      };
      return {
        message,
        stop: step.stop ?? (call.length > 0 ? "tool_calls" : "end"),
        usage: uncachedUsage(input, output),
        reportedCostUsd: step.cost_usd ?? null,
      };
    },
  };
}

const WORDS_PER_DELTA = 3;
const MAX_DELTAS = 200;

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
