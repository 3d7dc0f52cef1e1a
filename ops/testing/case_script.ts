// The script of a case while the case is played: the model's replies, the results of calls and people's answers. A gap is a
// call or question for which the case has no reply. The first gap ends the play.
import { type JsonObject, ownValue } from "../../base/json.ts";
import { lazyModule } from "../../base/lazy_module.ts";
import type { Agent } from "../../runtime/agents/agent.ts";
import { modelChain } from "../../runtime/config/providers.ts";
import {
  type Model,
  type ModelDelta,
  ModelError,
  type ModelReply,
  uncachedUsage,
} from "../../runtime/models/model.ts";
import { isRetryableStatus } from "../../runtime/models/providers/provider_failure.ts";
import { RunStopped } from "../../runtime/executions/loop/run.ts";
import { SILENT } from "../../runtime/replay/played_ports.ts";
import { parseArguments } from "../../runtime/tools/definition/arguments.ts";
import { ToolFailure } from "../../runtime/tools/failures/tool_failure.ts";
import { containsValue } from "./compare_values.ts";
import type { ScriptedCall, ScriptedReply, TestCase } from "./test_case.ts";

const loadFallback = lazyModule(() => import("../../runtime/models/calls/fallback.ts"));

/** The scripted result of a call. Either `result` or `error` is set. */
type ScriptedResult = Pick<ScriptedCall, "result" | "error">;

/** A tool call of the run. */
export interface RunCall {
  id: string;
  name: string;
  args: JsonObject;
}

/** Matches the text that a model reads if a person denied the call or did not answer. */
const REFUSED_BY_PERSON = /^(Action denied by user|The user did not answer)/;

/** The script and state of one play of a case. */
export class CaseScript {
  readonly #case: TestCase;
  readonly #stop = new AbortController();
  /** The scripted calls, by the ids that the scripted model gives them. */
  readonly #calls = new Map<string, ScriptedCall>();
  readonly #answered = new Map<string, number>();
  /** The scripted calls that match a real model's calls, by the real calls' ids. */
  readonly #matched = new Map<string, ScriptedCall>();
  /** The ids of the calls that got a scripted result or ran their real tool. */
  readonly #handled = new Set<string>();
  #replies = 0;
  #gap: string | undefined;

  constructor(test: TestCase) {
    this.#case = test;
  }

  /** Aborts at the first gap, which is a call or question without a reply in the case. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** A sentence about the first gap: the call or question without a reply in the case. Undefined if there is no gap. */
  get gap(): string | undefined {
    return this.#gap;
  }

  /** The number of scripted replies that the run has not used. */
  get repliesLeft(): number {
    return this.#case.replies.length - this.#replies;
  }

  /** Records a gap and throws, so that the run ends. */
  stopAtGap(gap: string): never {
    this.recordGap(gap);
    throw this.#stop.signal.reason;
  }

  /** Records a gap and aborts the run's signal. Does not throw. */
  recordGap(gap: string): void {
    this.#gap ??= gap;
    this.#stop.abort(new RunStopped(gap));
  }

  /**
   * Returns a model that gives the scripted replies in order. After a scripted failure, the agent's fallback model gives
   * the next reply.
   */
  async open({ model }: Pick<Agent, "model">): Promise<Model> {
    const models = modelChain(model).map(({ provider, name }) =>
      this.#model(`${provider}/${name}`)
    );
    const [first = this.#model("")] = models;
    if (models.length < 2) return first;
    const { withFallback } = await loadFallback();
    const chain = models.map((one) => ({ id: one.id, open: () => Promise.resolve(one) }));
    return withFallback(chain, SILENT);
  }

  #model(id: string): Model {
    const next = () => this.#nextReply();
    return {
      id,
      // deno-lint-ignore require-yield
      async *generate(): AsyncGenerator<ModelDelta, ModelReply, void> {
        return await Promise.resolve(next());
      },
    };
  }

  /** Returns the scripted result of a call, or undefined if the case has none. */
  resultOf({ id, name, args }: RunCall): ScriptedResult | undefined {
    const own = this.#callOf({ id, name, args });
    if (own?.result !== undefined || own?.error !== undefined) return own;
    return ownValue(this.#case.tools, name)?.find(({ when }) =>
      when === undefined || containsValue(args, when)
    );
  }

  /** Returns the scripted result of a call like resultOf(), and marks the call as answered. */
  answerCall(call: RunCall): ScriptedResult | undefined {
    this.#handled.add(call.id);
    return this.resultOf(call);
  }

  /** Records that a call ran its real tool. */
  markRun({ id }: RunCall): void {
    this.#handled.add(id);
  }

  /**
   * Returns the scripted result of a call that was refused before its tool ran, if the case does not expect the refusal.
   * Undefined if the call went as scripted.
   */
  missedResult(
    { toolCallId, content, isError }: { toolCallId: string; content: string; isError: boolean },
  ): { tool: string; wanted: string } | undefined {
    const call = this.#calls.get(toolCallId);
    if (call === undefined || this.#handled.has(toolCallId)) return undefined;
    const { tool, result, error } = call;
    if (error !== undefined && content.includes(error)) return undefined;
    const isAsTold = error === undefined && result === undefined &&
      (!isError || REFUSED_BY_PERSON.test(content));
    return isAsTold ? undefined : { tool, wanted: error ?? result ?? "its tool takes the call" };
  }

  /** Returns the scripted answer to the next question of a call, or undefined if there is none. */
  nextAnswer(call: RunCall): ScriptedCall["answers"][number] | undefined {
    const count = this.#answered.get(call.id) ?? 0;
    this.#answered.set(call.id, count + 1);
    return this.#callOf(call)?.answers[count];
  }

  /** Returns the names of all tools that the case's replies call or that the case has results for. */
  toolNames(): string[] {
    const { replies, tools } = this.#case;
    const called = replies.flatMap(({ calls }) => calls.map(({ tool }) => tool));
    return [...new Set([...Object.keys(tools), ...called])];
  }

  /**
   * Returns the scripted call with this id. For a real model's call, whose id is not in the script, returns an unused
   * scripted call with the same tool and arguments.
   */
  #callOf({ id, name, args }: RunCall): ScriptedCall | undefined {
    const scripted = this.#calls.get(id) ?? this.#matched.get(id);
    if (scripted !== undefined) return scripted;
    const taken = new Set(this.#matched.values());
    const like = this.#case.replies.flatMap(({ calls }) => calls)
      .find((one) => one.tool === name && !taken.has(one) && isSameArguments(one.args, args));
    if (like !== undefined) this.#matched.set(id, like);
    return like;
  }

  #nextReply(): ModelReply {
    const { replies } = this.#case;
    const reply = replies[this.#replies];
    if (reply === undefined) {
      const count = replies.length;
      this.stopAtGap(
        `The model is asked for reply ${count + 1}, and the case has ${
          count === 0 ? "none" : count
        }`,
      );
    }
    const number = ++this.#replies;
    const { error, status } = reply;
    if (error !== undefined) {
      const retryable = status !== undefined && isRetryableStatus(status);
      throw new ModelError(error, { retryable, status });
    }
    const ids = reply.calls.map((call, index) => {
      const id = `call_${number}_${index + 1}`;
      this.#calls.set(id, call);
      return id;
    });
    return toModelReply(reply, ids);
  }
}

function toModelReply(reply: ScriptedReply, ids: readonly string[]): ModelReply {
  const { text, calls, stop, input_tokens: input, output_tokens: output, cost_usd: cost } = reply;
  return {
    message: {
      role: "assistant",
      content: text,
      toolCalls: calls.map(({ tool, args }, index) => ({
        id: ids[index] ?? "",
        name: tool,
        arguments: typeof args === "string" ? args : JSON.stringify(args),
      })),
    },
    stop: stop ?? (calls.length > 0 ? "tool_calls" : "end"),
    usage: input === undefined && output === undefined
      ? null
      : uncachedUsage(input ?? 0, output ?? 0),
    reportedCostUsd: cost ?? null,
  };
}

function isSameArguments(scripted: ScriptedCall["args"], args: JsonObject): boolean {
  const wanted = typeof scripted === "string" ? argumentsOf(scripted) : scripted;
  return wanted !== undefined && containsValue(args, wanted);
}

/** Parses a call's arguments. Returns undefined if they are no JSON object. */
export function argumentsOf(text: string): JsonObject | undefined {
  try {
    return parseArguments(text) as JsonObject;
  } catch (error) {
    if (error instanceof ToolFailure) return undefined;
    throw error;
  }
}
