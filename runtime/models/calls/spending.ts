// Money for model calls: reserves the maximum cost before a call and books the real cost after it. Each attempt is a call of
// its own. The SpendingGate decides if there is enough money.
import type { Agent } from "../../agents/agent.ts";
import { untilAborted } from "../../../base/bounded_wait.ts";
import {
  type Model,
  type ModelDelta,
  ModelError,
  type ModelReply,
  type ModelRequest,
  type Usage,
} from "../model.ts";
import type { ModelPrices, PricedModel } from "../pricing.ts";
import { boundInputTokens, boundOutputTokens } from "../token_estimate.ts";

/** Tokens and cost that a call used, or may use at most. */
export interface Spending {
  /** Input and output tokens. */
  tokens: number;
  /** Null without a known price. */
  costUsd: number | null;
}

/** A call that is not made yet. */
export interface PlannedSpending {
  /** `provider/name`. */
  model: string;
  /** The agent that makes the call; absent for calls without one, as when a model writes a new agent for a person. */
  agent?: Agent;
  executionId?: number;
  /** Returns the maximum spending. Called only if a budget is in force. */
  most(): Promise<Spending>;
}

/** The money that is reserved for one call. */
export interface Reservation {
  /** Replaces the reservation by the used amount. Never rejects, because the call has been made. */
  settle(used: Spending): Promise<void>;
}

/** Reserves money for calls. */
export interface SpendingGate {
  /** Resolves when there is enough money for the call. An error is the failure of the call. */
  reserve(call: PlannedSpending, signal: AbortSignal): Promise<Reservation>;
}

/** The payer and the prices of a model's calls. */
export interface CallBilling {
  gate: SpendingGate;
  prices: Pick<ModelPrices, "costOf">;
  /** Selects the price. */
  model: PricedModel;
  agent?: Agent;
}

const NOTHING: Spending = { tokens: 0, costUsd: 0 };

/** Returns a model that reserves and books the cost of each call. */
export function withBilling(model: Model, billing: CallBilling): Model {
  return new PaidModel(model, billing);
}

class PaidModel implements Model {
  readonly id: string;
  readonly #model: Model;
  readonly #billing: CallBilling;

  constructor(model: Model, billing: CallBilling) {
    this.id = model.id;
    this.#model = model;
    this.#billing = billing;
  }

  async *generate(
    request: ModelRequest,
    options: Parameters<Model["generate"]>[1],
  ): AsyncGenerator<ModelDelta, ModelReply, void> {
    const { signal, subject } = options;
    const { gate, agent } = this.#billing;
    let bound: number | undefined;
    const input = () => bound ??= boundInputTokens(request);
    const reservation = await gate.reserve({
      model: this.id,
      most: () => this.#most(input(), request.maxTokens),
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
      // As in retry.ts: a stream that ignores its signal must not block the caller.
      if (signal.aborted) closed.then(() => {}, () => {});
      else await closed;
    }
  }

  /** Returns the maximum cost of the call. The provider may count all of its input as written to the cache. */
  async #most(input: number, output: number): Promise<Spending> {
    const fresh = { inputTokens: input, outputTokens: output, cacheReadTokens: 0 };
    const costs = [
      await this.#cost({ ...fresh, cacheWriteTokens: 0 }),
      await this.#cost({ ...fresh, cacheWriteTokens: input }),
    ];
    const costUsd = costs.includes(null) ? null : Math.max(...costs.map(Number));
    return { tokens: input + output, costUsd };
  }

  /** Returns the spending of a call: the provider's counts, and estimates for missing ones. */
  async #used(
    input: () => number,
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
      inputTokens: input(),
      ...seen.counted,
      // Each delta without text is at least one token.
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
    const { prices, model } = this.#billing;
    return prices.costOf(model, { usage, reportedCostUsd: null });
  }
}
