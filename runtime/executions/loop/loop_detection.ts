// Detects loops: the model repeats a failure, or a call that gives the same result.
import type { Message, ToolMessage } from "../../models/message.ts";

const EQUAL_FAILURES = 3;
const EQUAL_RESULTS = 5;

/** A call with its result. */
interface Settled {
  name: string;
  arguments: string;
  result: ToolMessage;
}

/** Watches the steps of one run for loops. A step is one reply with the results of its calls. */
export class LoopDetector {
  /** The last failure of each tool, and the number of consecutive steps with this failure. */
  readonly #failures = new Map<string, { line: string; count: number }>();
  /** The number of consecutive steps with the same call and result, by call and result. */
  #repeats = new Map<string, number>();
  #observed = 0;

  /**
   * Checks the steps that earlier calls have not checked, and returns the description of a loop, or undefined. The steps of
   * a resumed run are checked from the first one.
   */
  observe(messages: readonly Message[]): string | undefined {
    for (const step of settledSteps(messages).slice(this.#observed)) {
      this.#observed++;
      const circle = this.#observe(step);
      if (circle !== undefined) return circle;
    }
    return undefined;
  }

  #observe(step: readonly Settled[]): string | undefined {
    return this.#observeFailures(step) ?? this.#observeRepeats(step);
  }

  #observeFailures(step: readonly Settled[]): string | undefined {
    const counted = new Set<string>();
    for (const { name, result } of step) {
      if (!result.isError) {
        this.#failures.delete(name);
        continue;
      }
      const line = result.content.split("\n", 1)[0] ?? "";
      const last = this.#failures.get(name);
      // Equal failures in one reply count once: the model made all calls of the reply before it read any of the failures.
      const isNew = !counted.has(`${name}\n${line}`);
      counted.add(`${name}\n${line}`);
      const count = last?.line === line ? last.count + (isNew ? 1 : 0) : 1;
      this.#failures.set(name, { line, count });
      if (count >= EQUAL_FAILURES) return `${name} failed ${count} times in a row: ${line}`;
    }
    return undefined;
  }

  #observeRepeats(step: readonly Settled[]): string | undefined {
    const repeats = new Map<string, number>();
    for (const { name, arguments: args, result } of step) {
      const key = JSON.stringify([name, args, result.content, result.media]);
      const count = (this.#repeats.get(key) ?? 0) + 1;
      repeats.set(key, count);
      if (count >= EQUAL_RESULTS) {
        return `${name} was called ${count} times in a row with the same arguments and the same result`;
      }
    }
    // The counts of calls that this step does not repeat are dropped.
    this.#repeats = repeats;
    return undefined;
  }
}

/** Returns the steps of the current run: the replies since the last user turn whose calls all have results. */
function settledSteps(messages: readonly Message[]): Settled[][] {
  // Injected instructions do not count as a user turn. Otherwise a loop of requests for instructions would not be found.
  const start = messages.findLastIndex((one) => one.role === "user" && !one.injected) + 1;
  const steps: Settled[][] = [];
  for (const [index, message] of messages.entries()) {
    if (index < start || message.role !== "assistant" || message.toolCalls.length === 0) continue;
    const results = messages.slice(index + 1, index + 1 + message.toolCalls.length)
      .filter((one) => one.role === "tool");
    if (results.length < message.toolCalls.length) continue;
    steps.push(message.toolCalls.flatMap((call) => {
      const result = results.find(({ toolCallId }) => toolCallId === call.id);
      return result === undefined ? [] : [{ ...call, result }];
    }));
  }
  return steps;
}
