// One turn: asks the model and passes its text on as it streams. Retries and time limits are the model's decorators.
import type { ModelReply, ModelRequest, Usage } from "../../models/model.ts";
import { ReplyTimeout } from "../../models/calls/retry.ts";
import { estimateInputTokens, estimateOutputTokens } from "../../models/token_estimate.ts";
import type { CutReply } from "../record/ending_store.ts";
import { type Run, RunStopped } from "../runs/run.ts";

/** A reply that a stop or a timeout cut off, and why. */
export class ReplyCut extends Error {
  override readonly name = "ReplyCut";
  readonly reason: RunStopped | ReplyTimeout;
  /** What was shown of it. */
  readonly text: string;
  /** What it used, as far as the provider had counted, the rest estimated. */
  readonly used: CutReply;

  constructor(reason: RunStopped | ReplyTimeout, cut: { text: string; used: CutReply }) {
    super(reason.message, { cause: reason });
    this.reason = reason;
    this.text = cut.text;
    this.used = cut.used;
  }
}

/**
 * The model's reply to the conversation so far. Throws ModelError; ReplyTimeout or the run's stop reason where the model
 * had not begun to answer, and ReplyCut where it had.
 */
export async function takeTurn(run: Run): Promise<ModelReply> {
  const { temperature, maxTokens } = run.agent.settings;
  const shown = run.openReply();
  const request: ModelRequest = {
    messages: run.conversation.messages(),
    tools: run.toolbox.descriptions(),
    temperature,
    maxTokens,
    ...(run.format && { schema: run.format.schema }),
  };
  const { id: execution, agentId: agent } = run.execution;
  const subject = { execution, agent };
  const stream = run.model.generate(request, { signal: run.signal, subject });
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
 * Most providers count a reply at its end: of one that is cut off, the length alone is known. Some count the input first,
 * and what they have counted of the output by then is less than what came, or as much.
 */
async function estimate(
  run: Run,
  cut: { request: ModelRequest; text: string; counted: Usage | undefined },
): Promise<CutReply> {
  const { request, text, counted } = cut;
  const message = { role: "assistant" as const, content: text, toolCalls: [] };
  const outputTokens = estimateOutputTokens(message);
  const usage = counted === undefined
    ? {
      inputTokens: estimateInputTokens(request),
      outputTokens,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
    }
    : { ...counted, outputTokens: Math.max(counted.outputTokens, outputTokens) };
  const reply: ModelReply = { message, stop: "unknown", usage, reportedCostUsd: null };
  return { ...usage, costUsd: await run.costOf(reply) };
}
