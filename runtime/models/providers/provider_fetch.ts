// Sends HTTP requests to providers. Follows redirects only within the endpoint's origin, checks the content type of
// answers, and limits their size, so that an endless answer cannot fill the memory.
import { limitParts } from "../../../base/text/event_stream.ts";
import { type ModelError, refusal } from "../model.ts";
import {
  connectionFailure,
  foreignAnswerFailure,
  type ProviderContext,
  redirectFailure,
} from "./provider_failure.ts";

/** The statuses of redirects that are repeated with the same method and body. */
const REPEATED: ReadonlySet<number> = new Set([301, 302, 307, 308]);
const MAX_REDIRECTS = 3;
/** Matches a lone surrogate, as JSON.stringify writes it. Texts of agents may contain one, and providers refuse it. */
const LONE_SURROGATE = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/**
 * Sends a model call. `headers` contain the key, and `body` is JSON text. Returns its answer with a body of limited size. Follows redirects only within the origin, because the
 * headers contain a key. Throws ModelError if the connection fails, a redirect names another host, or a successful answer
 * is a web page. The body throws ModelError if it is too long.
 */
export async function postToProvider(
  context: ProviderContext,
  { url, headers, body, signal }: {
    url: string;
    headers: Readonly<Record<string, string>>;
    body: string;
    signal?: AbortSignal;
  },
): Promise<Response> {
  const answer = await ask(context, new URL(url), {
    method: "POST",
    headers: { "content-type": "application/json", ...headers, "user-agent": "inkling" },
    body: toWellFormedJson(body),
    ...(signal && { signal }),
  });
  const contentType = mediaTypeOf(answer);
  if (answer.ok && contentType === "text/html") {
    throw foreignAnswerFailure(context, { contentType, body: await readErrorBody(answer) });
  }
  return boundReply(answer, context, signal);
}

/** Returns the media type of an answer without parameters; an empty text if it has none. */
export function mediaTypeOf({ headers }: Response): string {
  return headers.get("content-type")?.split(";", 1)[0]?.trim() ?? "";
}

/** Sends a request and follows redirects within the origin. Returns the answer. */
async function ask(
  context: ProviderContext,
  first: URL,
  init: RequestInit,
): Promise<Response> {
  let address = first;
  for (let redirects = 0;; redirects++) {
    let answer: Response;
    try {
      answer = await fetch(address, { ...init, redirect: "manual" });
    } catch (error) {
      init.signal?.throwIfAborted();
      throw connectionFailure(context, error);
    }
    const location = answer.headers.get("location");
    if (!REPEATED.has(answer.status) || location === null) return answer;
    await answer.body?.cancel();
    const next = URL.canParse(location, address) ? new URL(location, address) : undefined;
    if (next?.origin !== address.origin || redirects === MAX_REDIRECTS) {
      throw redirectFailure(context, address, next);
    }
    address = next;
  }
}

function toWellFormedJson(json: string): string {
  return json.includes("\\ud") ? json.replaceAll(LONE_SURROGATE, "$1\\ufffd") : json;
}

/** The maximum size of a reply. The largest replies, with 128,000 tokens, have 40 MB if each token has its own event. */
export const MAX_REPLY_BYTES = 64 * 1_024 * 1_024;
/** The maximum size of one line or event. An event contains a few tokens, or all arguments of one tool call. */
export const MAX_EVENT_BYTES = 4 * 1_024 * 1_024;
/** The maximum size of an error answer. Messages show one line of it. */
export const MAX_ERROR_BYTES = 64 * 1_024;

/**
 * Returns the answer with a body of limited size. The body of a successful answer throws ModelError beyond the limit; an
 * error answer is cut. The signal ends the body, too.
 */
export function boundReply(
  answer: Response,
  context: ProviderContext,
  signal?: AbortSignal | null,
): Response {
  if (answer.body === null) return answer;
  const hasEvents = answer.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  const bound = answer.ok
    ? limitParts({
      maxBytes: MAX_EVENT_BYTES,
      maxTotal: MAX_REPLY_BYTES,
      lineFeeds: hasEvents ? 2 : 1,
      tooLong: (part, bytes) =>
        endlessReply(context, part === "body" ? "its reply" : "one part of it", bytes),
    })
    : errorCut();
  return new Response(answer.body.pipeThrough(bound, signal ? { signal } : {}), answer);
}

/** Returns the beginning of a body as text, for a message. */
async function readErrorBody(answer: Response): Promise<string> {
  const body = answer.body?.pipeThrough(errorCut()) ?? null;
  return await new Response(body).text();
}

function endlessReply(context: ProviderContext, what: string, bytes: number): ModelError {
  const megabytes = bytes / (1_024 * 1_024);
  return refusal(
    `${context.provider} does not end its reply: ${what} is longer than ${megabytes} MB`,
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
