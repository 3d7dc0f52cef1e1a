// Requests one reply of the model and publishes its text while it streams. Retries and time limits are implemented by
// wrappers of the model.
import {
  type ModelReply,
  type ModelRequest,
  uncachedUsage,
  type Usage,
} from "../../models/model.ts";
import { ReplyTimeout } from "../../models/calls/retry.ts";
import { estimateInputTokens, estimateOutputTokens } from "../../models/token_estimate.ts";
import type { CutReply } from "../record/ending_store.ts";
import { type Run, RunStopped } from "./run.ts";

/** Error: a stop or a time limit cut off a reply. */
export class ReplyCut extends Error {
  override readonly name = "ReplyCut";
  readonly reason: RunStopped | ReplyTimeout;
  /** The text that was published before the cut. */
  readonly text: string;
  /** The usage of the reply: the provider's count, plus an estimate of the rest. */
  readonly used: CutReply;

  constructor(reason: RunStopped | ReplyTimeout, cut: { text: string; used: CutReply }) {
    super(reason.message, { cause: reason });
    this.reason = reason;
    this.text = cut.text;
    this.used = cut.used;
  }
}

/**
 * Returns the model's reply to the conversation. Before the reply begins, throws ModelError, ReplyTimeout or the run's stop
 * reason. After that, throws ModelError or ReplyCut.
 */
export async function takeTurn(run: Run): Promise<ModelReply> {
  const { temperature, maxTokens } = run.agent.settings;
  const shown = run.journal.openReply();
  const request: ModelRequest = {
    messages: run.conversation.messages(),
    tools: run.toolbox.descriptions(),
    temperature,
    maxTokens,
    ...(run.format && { schema: run.format.schema }),
  };
  const { id: execution, agentId: agent } = run.execution;
  const subject = { execution, agent };
  // Disposed also if a notice cannot be stored, because the open call holds a place of max_concurrent_runs.
  await using stream = run.model.generate(request, { signal: run.signal, subject });
  let hasBegun = false;
  let counted: Usage | undefined;
  try {
    for (;;) {
      const step = await stream.next();
      if (step.done) return step.value;
      if (step.value.type === "notice") {
        const { level, text } = step.value;
        await run.journal.notice(level, text);
        continue;
      }
      hasBegun = true;
      if (step.value.type === "text") shown.push(step.value.text);
      if (step.value.type === "usage") counted = step.value.usage;
      if (step.value.type === "restart") {
        shown.restart();
        counted = undefined;
      }
    }
  } catch (error) {
    const isCut = error instanceof RunStopped || error instanceof ReplyTimeout;
    if (!isCut || !hasBegun) throw error;
    const { text } = shown;
    throw new ReplyCut(error, { text, used: await estimate(run, { request, text, counted }) });
  }
}

/**
 * Estimates the usage of a cut reply from its text, because most providers report the usage at the end. If a provider has
 * reported earlier figures, uses the larger count of the output.
 */
async function estimate(
  run: Run,
  cut: { request: ModelRequest; text: string; counted: Usage | undefined },
): Promise<CutReply> {
  const { request, text, counted } = cut;
  const message = { role: "assistant" as const, content: text, toolCalls: [] };
  const outputTokens = estimateOutputTokens(message);
  const usage = counted === undefined
    ? uncachedUsage(estimateInputTokens(request), outputTokens)
    : { ...counted, outputTokens: Math.max(counted.outputTokens, outputTokens) };
  const reply: ModelReply = { message, stop: "unknown", usage, reportedCostUsd: null };
  return { ...usage, costUsd: await run.costOf(run.agent, reply, run.model.id) };
}
