// How much of a provider's answer is read: an endpoint that never ends its answer must not fill the memory.
import { ModelError } from "./model.ts";
import type { ProviderContext } from "./provider_failure.ts";

/** The largest replies there are, 128,000 tokens, take 40 MB where every token comes in an event of its own. */
export const MAX_REPLY_BYTES = 64 * 1_024 * 1_024;
/** One event holds a few tokens, or all arguments of one tool call. Packages copy a line again with each part of it. */
export const MAX_LINE_BYTES = 4 * 1_024 * 1_024;
/** Of an answer that is an error. What is said of it later is one line. */
export const MAX_ERROR_BYTES = 64 * 1_024;

const LINE_FEED = 10;

/** The answer with a body that breaks off where it is too long: a good one with a ModelError, an error silently. */
export function boundReply(answer: Response, context: ProviderContext): Response {
  if (answer.body === null) return answer;
  const bound = answer.ok ? endlessReplyRefusal(context) : errorCut();
  return new Response(answer.body.pipeThrough(bound), answer);
}

/** The beginning of a body that is shown in a message. */
export async function readErrorBody(answer: Response): Promise<string> {
  const body = answer.body?.pipeThrough(errorCut()) ?? null;
  return await new Response(body).text();
}

function endlessReplyRefusal(context: ProviderContext): TransformStream<Uint8Array, Uint8Array> {
  let total = 0;
  let line = 0;
  return new TransformStream({
    transform(chunk, controller) {
      total += chunk.length;
      const lastEnd = chunk.lastIndexOf(LINE_FEED);
      line = lastEnd < 0 ? line + chunk.length : chunk.length - 1 - lastEnd;
      if (total > MAX_REPLY_BYTES) throw endlessReply(context, "its reply", MAX_REPLY_BYTES);
      if (line > MAX_LINE_BYTES) throw endlessReply(context, "one line of it", MAX_LINE_BYTES);
      controller.enqueue(chunk);
    },
  });
}

function endlessReply(context: ProviderContext, what: string, bytes: number): ModelError {
  const megabytes = bytes / (1_024 * 1_024);
  return new ModelError(
    `${context.provider} does not end its reply: ${what} is longer than ${megabytes} MB`,
    { retryable: false },
  );
}

function errorCut(): TransformStream<Uint8Array, Uint8Array> {
  let left = MAX_ERROR_BYTES;
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, left));
      left -= chunk.length;
      if (left <= 0) controller.terminate();
    },
  });
}
