// Adds budgets to model calls: reserves the maximum cost before a call and books the real cost after it. Each attempt is a
// separate call. The SpendingGate decides if a budget allows a call.
import type { Agent } from "../../agents/agent.ts";
import { untilAborted } from "../../../base/bounded_wait.ts";
import {
  type Model,
  type ModelDelta,
  ModelError,
  type ModelReply,
  type ModelRequest,
  uncachedUsage,
  type Usage,
} from "../model.ts";
import type { ModelPrices, PricedModel } from "../pricing.ts";
import { boundInputTokens, boundOutputTokens } from "../token_estimate.ts";

/** The tokens and cost that a call has used, or may use at most. */
export interface Spending {
  /** The number of input and output tokens. */
  tokens: number;
  /** The cost in US dollars; null without a known price. */
  costUsd: number | null;
}

/** A call that is about to be made. */
export interface PlannedSpending {
  /** The id of the model, `provider/name`. */
  model: string;
  /** The agent that makes the call; absent if no agent does, for example when a model writes a new agent for a person. */
  agent?: Agent;
  executionId?: number;
  /** Returns the maximum spending of the call. Called only if a budget exists. */
  most(): Promise<Spending>;
}

/** The money reserved for one call. */
export interface Reservation {
  /** Replaces the reserved amount by the used amount. Never rejects, because the call has already been made. */
  settle(used: Spending): Promise<void>;
}

/** Reserves money for calls. */
export interface SpendingGate {
  /**
   * Resolves with a reservation when the budgets allow the call. If the promise rejects, the call fails with the same
   * error.
   */
  reserve(call: PlannedSpending, signal: AbortSignal): Promise<Reservation>;
}

/** The payer and the prices of the calls of one model. */
export interface CallBilling {
  gate: SpendingGate;
  prices: Pick<ModelPrices, "costOf">;
  /** The settings that select the price. */
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
      // The closing of an aborted stream is not awaited, because the stream may ignore its signal.
      if (signal.aborted) closed.then(() => {}, () => {});
      else await closed;
    }
  }

  /**
   * Returns the maximum spending of a call. It assumes that all input is written to the provider's cache if that is the
   * most expensive.
   */
  async #most(input: number, output: number): Promise<Spending> {
    const fresh = uncachedUsage(input, output);
    const costs = [
      await this.#cost(fresh),
      await this.#cost({ ...fresh, cacheWriteTokens: input }),
    ];
    const costUsd = costs.includes(null) ? null : Math.max(...costs.map(Number));
    return { tokens: input + output, costUsd };
  }

  /** Returns the spending of a call from the provider's counts, and from estimates for missing counts. */
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
