// The script of a case while it is played: which reply comes next, what a call results in, what people answer. What the case
// says nothing of is a gap: the first one ends the play.
import type { JsonObject } from "../../base/json.ts";
import { lazyModule } from "../../base/lazy_module.ts";
import type { Agent } from "../../runtime/agents/agent.ts";
import { modelChain } from "../../runtime/config/providers.ts";
import {
  type Model,
  type ModelDelta,
  ModelError,
  type ModelReply,
} from "../../runtime/models/model.ts";
import { isRetryableStatus } from "../../runtime/models/provider_failure.ts";
import { RunStopped } from "../../runtime/executions/runs/run.ts";
import { parseArguments } from "../../runtime/tools/arguments.ts";
import { ToolFailure } from "../../runtime/tools/tool_failure.ts";
import { containsValue } from "./compare_values.ts";
import type { ScriptedCall, ScriptedReply, TestCase } from "./test_case.ts";

const loadFallback = lazyModule(() => import("../../runtime/models/fallback.ts"));

/** What a call results in: one of the two is there. */
export interface ScriptedResult {
  result?: string | undefined;
  error?: string | undefined;
}

interface ToolReply extends ScriptedResult {
  when?: Readonly<Record<string, unknown>> | undefined;
}

/** A person's answer as a case has it. */
export type ScriptedAnswer = ScriptedCall["answers"][number];

/** A call as it is made. */
export interface MadeCall {
  id: string;
  name: string;
  args: JsonObject;
}

/** What a model reads where a person said no, or nothing. */
const REFUSED_BY_PERSON = /^(Action denied by user|The user did not answer)/;

/** One play of a case. */
export class CaseScript {
  readonly #case: TestCase;
  readonly #stop = new AbortController();
  /** By the ids that the scripted model gives its calls. */
  readonly #calls = new Map<string, ScriptedCall>();
  readonly #answered = new Map<string, number>();
  /** Calls of the script that stood for calls of a real model. */
  readonly #used = new Map<string, ScriptedCall>();
  /** Ids of calls that were answered from the case. */
  readonly #given = new Set<string>();
  #replies = 0;
  #gap: string | undefined;

  constructor(test: TestCase) {
    this.#case = test;
  }

  /** Aborts at the first gap. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** What the case says nothing of, as a sentence. */
  get gap(): string | undefined {
    return this.#gap;
  }

  /** How many replies were not asked for. */
  get repliesLeft(): number {
    return this.#case.replies.length - this.#replies;
  }

  /** Ends the play: the case says nothing of something. */
  stop(gap: string): never {
    this.note(gap);
    throw this.#stop.signal.reason;
  }

  /** The same, for who is not within the run. */
  note(gap: string): void {
    this.#gap ??= gap;
    this.#stop.abort(new RunStopped(gap));
  }

  /** The model of an agent, which gives the replies one after another; its fallbacks give those behind its failures. */
  async open({ model }: Pick<Agent, "model">): Promise<Model> {
    const models = modelChain(model).map(({ provider, name }) =>
      this.#model(`${provider}/${name}`)
    );
    const [first = this.#model("")] = models;
    if (models.length < 2) return first;
    const { withFallback } = await loadFallback();
    const chain = models.map((one) => ({ id: one.id, open: () => Promise.resolve(one) }));
    return withFallback(chain, { write() {} });
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

  /** What a call results in; undefined where the case says nothing of it. */
  resultOf({ id, name, args }: MadeCall): ScriptedResult | undefined {
    const own = this.#callOf({ id, name, args });
    if (own?.result !== undefined || own?.error !== undefined) return own;
    const ofTool: readonly ToolReply[] = this.#case.tools[name] ?? [];
    return ofTool.find(({ when }) => when === undefined || containsValue(args, when));
  }

  /** The same, for a call that is answered with it. */
  giveResult(call: MadeCall): ScriptedResult | undefined {
    this.#given.add(call.id);
    return this.resultOf(call);
  }

  /** The tool of a call really runs. */
  begin({ id }: MadeCall): void {
    this.#given.add(id);
  }

  /**
   * What a call of the script was to come to, where it never got so far: it was refused, for its tool or its arguments, and the
   * case does not say so. Undefined where all is as the script has it.
   */
  missedResult(
    { toolCallId, content, isError }: { toolCallId: string; content: string; isError: boolean },
  ): { tool: string; wanted: string } | undefined {
    const call = this.#calls.get(toolCallId);
    if (call === undefined || this.#given.has(toolCallId)) return undefined;
    const { tool, result, error } = call;
    if (error !== undefined && content.includes(error)) return undefined;
    const isAsTold = error === undefined && result === undefined &&
      (!isError || REFUSED_BY_PERSON.test(content));
    return isAsTold ? undefined : { tool, wanted: error ?? result ?? "its tool takes the call" };
  }

  /** The answer to the next question of a call; undefined where nobody answers. */
  nextAnswer(call: MadeCall): ScriptedAnswer | undefined {
    const count = this.#answered.get(call.id) ?? 0;
    this.#answered.set(call.id, count + 1);
    return this.#callOf(call)?.answers[count];
  }

  /** The names of all tools that the case speaks of as called. */
  toolNames(): string[] {
    const { replies, tools } = this.#case;
    const called = replies.flatMap(({ calls }) => calls.map(({ tool }) => tool));
    return [...new Set([...Object.keys(tools), ...called])];
  }

  /** The scripted call that a call is, or that it is most like: a real model makes calls of its own. */
  #callOf({ id, name, args }: MadeCall): ScriptedCall | undefined {
    const scripted = this.#calls.get(id) ?? this.#used.get(id);
    if (scripted !== undefined) return scripted;
    const taken = new Set(this.#used.values());
    const like = this.#case.replies.flatMap(({ calls }) => calls)
      .find((one) => one.tool === name && !taken.has(one) && isSameArguments(one.args, args));
    if (like !== undefined) this.#used.set(id, like);
    return like;
  }

  #nextReply(): ModelReply {
    const { replies } = this.#case;
    const reply = replies[this.#replies];
    if (reply === undefined) {
      const count = replies.length;
      this.stop(
        `The model is asked for reply ${count + 1}, and the case has ${
          count === 0 ? "none" : count
        }`,
      );
    }
    const number = ++this.#replies;
    const { error, status } = reply;
    if (error !== undefined) {
      const retryable = status !== undefined && isRetryableStatus(status);
      throw new ModelError(error, { retryable, ...(status !== undefined && { status }) });
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
    usage: input === undefined && output === undefined ? null : {
      inputTokens: input ?? 0,
      outputTokens: output ?? 0,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
    },
    reportedCostUsd: cost ?? null,
  };
}

function isSameArguments(scripted: ScriptedCall["args"], args: JsonObject): boolean {
  const wanted = typeof scripted === "string" ? argumentsOf(scripted) : scripted;
  return wanted !== undefined && containsValue(args, wanted);
}

/** What a call's arguments say; undefined where they are no JSON object. */
export function argumentsOf(text: string): JsonObject | undefined {
  try {
    return parseArguments(text) as JsonObject;
  } catch (error) {
    if (error instanceof ToolFailure) return undefined;
    throw error;
  }
}
