// Money for model calls: the most that a call may cost is set aside before it is made, and what it did cost is booked after
// it. Each attempt is a call of its own. Whether there is enough is decided behind the port.
import type { Agent } from "../agents/agent.ts";
import { untilAborted } from "../../base/bounded_wait.ts";
import {
  type Model,
  type ModelDelta,
  ModelError,
  type ModelReply,
  type ModelRequest,
  type Usage,
} from "./model.ts";
import type { ModelPrices, PricedModel } from "./pricing.ts";
import { boundInputTokens, boundOutputTokens } from "./token_estimate.ts";

/** What a call uses, or may use at most. */
export interface Spending {
  /** Of input and output. */
  tokens: number;
  /** Null where no price is known. */
  costUsd: number | null;
}

/** A call about to be made. */
export interface PlannedSpending {
  /** `provider/name`. */
  model: string;
  /** Whose call it is; absent: nobody's, as when a person has an agent written. */
  agent?: Agent;
  executionId?: number;
  most: Spending;
}

/** What is set aside for one call. */
export interface Reservation {
  /** Books what the call used in its place. Never rejects: the call has been made. */
  settle(used: Spending): Promise<void>;
}

/** Where money is set aside. */
export interface SpendingGate {
  /** Resolves when there is enough for the call. What it throws instead is the call's failure. */
  reserve(call: PlannedSpending, signal: AbortSignal): Promise<Reservation>;
}

/** Out of which purse calls are paid, and at which prices. */
export interface Purse {
  gate: SpendingGate;
  prices: Pick<ModelPrices, "costOf">;
  /** What the price is looked up by. */
  model: PricedModel;
  agent?: Agent;
}

const NOTHING: Spending = { tokens: 0, costUsd: 0 };

/** A model each of whose calls is paid out of a purse. */
export function withPurse(model: Model, purse: Purse): Model {
  return new PaidModel(model, purse);
}

class PaidModel implements Model {
  readonly id: string;
  readonly #model: Model;
  readonly #purse: Purse;

  constructor(model: Model, purse: Purse) {
    this.id = model.id;
    this.#model = model;
    this.#purse = purse;
  }

  async *generate(
    request: ModelRequest,
    options: Parameters<Model["generate"]>[1],
  ): AsyncGenerator<ModelDelta, ModelReply, void> {
    const { signal, subject } = options;
    const { gate, agent } = this.#purse;
    const input = boundInputTokens(request);
    const reservation = await gate.reserve({
      model: this.id,
      most: await this.#most(input, request.maxTokens),
      ...(agent && { agent }),
      ...(subject && { executionId: subject.execution }),
    }, signal);
    if (signal.aborted) {
      await reservation.settle(NOTHING);
      throw signal.reason;
    }
    const seen = { hasBegun: false, text: "", pieces: 0, counted: undefined as Usage | undefined };
    let reply: ModelReply | undefined;
    let failure: unknown;
    const stream = this.#model.generate(request, options);
    try {
      for (;;) {
        const step = await untilAborted(stream.next(), signal);
        if (step.done) return reply = step.value;
        seen.hasBegun = true;
        seen.pieces++;
        if (step.value.type === "text") seen.text += step.value.text;
        if (step.value.type === "usage") seen.counted = step.value.usage;
        yield step.value;
      }
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      const isBilled = seen.hasBegun || reply !== undefined || signal.aborted ||
        failure instanceof ModelError && failure.mayBeBilled;
      await reservation.settle(isBilled ? await this.#used(input, reply, seen) : NOTHING);
      const closed = stream[Symbol.asyncDispose]();
      // As in retry.ts: one that ignores its signal holds nobody up.
      if (signal.aborted) closed.then(() => {}, () => {});
      else await closed;
    }
  }

  /** The dearest way in which the call may be counted: all of its input may be written to a cache. */
  async #most(input: number, output: number): Promise<Spending> {
    const fresh = { inputTokens: input, outputTokens: output, cacheReadTokens: 0 };
    const costs = [
      await this.#cost({ ...fresh, cacheWriteTokens: 0 }),
      await this.#cost({ ...fresh, cacheWriteTokens: input }),
    ];
    const costUsd = costs.includes(null) ? null : Math.max(...costs.map(Number));
    return { tokens: input + output, costUsd };
  }

  /** What a call used, as it was counted; what was not counted is estimated. */
  async #used(
    input: number,
    reply: ModelReply | undefined,
    seen: { text: string; pieces: number; counted: Usage | undefined },
  ): Promise<Spending> {
    const calls = reply?.message.toolCalls ?? [];
    const text = [
      reply?.message.content ?? seen.text,
      ...calls.map((call) => call.name + call.arguments),
    ];
    const usage = reply?.usage ?? {
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      inputTokens: input,
      ...seen.counted,
      // What has no text comes in pieces of a token or more.
      outputTokens: Math.max(
        seen.counted?.outputTokens ?? 0,
        seen.pieces,
        boundOutputTokens(text.join("\n")),
      ),
    };
    return {
      tokens: usage.inputTokens + usage.outputTokens,
      costUsd: reply?.reportedCostUsd ?? await this.#cost(usage),
    };
  }

  #cost(usage: Usage): Promise<number | null> {
    const { prices, model } = this.#purse;
    return prices.costOf(model, { usage, reportedCostUsd: null });
  }
}
