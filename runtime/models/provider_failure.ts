// How a provider's failure becomes a ModelError: one wording, one rule for what may be tried again, no key in any text.
import { describeDenied } from "../../base/denied_permission.ts";
import { isJsonObject, isWholeJson, type JsonValue } from "../../base/json.ts";
import { toPlainLine } from "../../base/text/plain_text.ts";
import { SHORTEST_SECRET } from "../secrets/secret.ts";
import { ModelError } from "./model.ts";

/** Who failed, and what its messages must not show. */
export interface ProviderContext {
  /** `openai`, `anthropic`, or the name the agent gives an endpoint. */
  provider: string;
  /** Where requests go, for messages about connections. */
  baseUrl: string;
  /** The key in use; it is cut out of every message. */
  apiKey: string | undefined;
  /** Milliseconds since the epoch, to turn a date in Retry-After into a wait. */
  now: () => number;
}

/** An error as a provider describes it. */
export interface ProviderError {
  message: string;
  /** A number where it is the HTTP status. */
  code?: unknown;
  /** The kind of error, the parameter that it is about. */
  codes: readonly string[];
  /** The wait that the error asks for. */
  retryAfterMs?: number | undefined;
}

/** An answer with an error status, or an error event that carries one. */
export interface ProviderAnswer extends ProviderError {
  status: number;
  headers?: Headers | undefined;
}

const MAX_MESSAGE_LENGTH = 600;
const MAX_TOLD_LENGTH = 4_000;

/** Whether the same call may succeed later when a provider answered with this status. */
export function isRetryableStatus(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

/**
 * Milliseconds that `Retry-After` (seconds or an HTTP date, RFC 9110 section 10.2.3) or `retry-after-ms` asks for;
 * undefined when neither says anything that can be read.
 */
function retryAfterMs(headers: Headers | undefined, now: number): number | undefined {
  const milliseconds = headers?.get("retry-after-ms")?.trim();
  if (milliseconds !== undefined && /^\d+(\.\d+)?$/.test(milliseconds)) {
    return Math.ceil(Number(milliseconds));
  }
  const value = headers?.get("retry-after")?.trim();
  if (value === undefined || value === "") return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1_000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** The provider answered with an error. */
export function answerFailure(context: ProviderContext, answer: ProviderAnswer): ModelError {
  const { status, headers } = answer;
  const wait = retryAfterMs(headers, context.now()) ?? answer.retryAfterMs;
  const text = safeText(answer.message, context);
  return new ModelError(
    `${context.provider} answered ${status}${text === "" ? "" : `: ${text}`}`,
    {
      retryable: isRetryableStatus(status),
      status,
      told: toTold(answer, context),
      ...(wait === undefined ? {} : { retryAfterMs: wait }),
    },
  );
}

/** No answer at all: the host is unknown, refuses, or broke the connection before it said anything. */
export function connectionFailure(context: ProviderContext, cause: unknown): ModelError {
  const denied = describeDenied(cause);
  return new ModelError(
    `Cannot reach ${context.provider} at ${context.baseUrl}: ${denied ?? reasonOf(cause, context)}`,
    { retryable: denied === undefined, mayBeBilled: !isUnsent(cause), cause },
  );
}

/** Whether the connection was never made, so that nothing was asked. */
function isUnsent(cause: unknown): boolean {
  if (describeDenied(cause) !== undefined) return true;
  for (let error = cause; error instanceof Error; error = error.cause) {
    if (/\(connect\)|dns error|refused/i.test(error.message)) return true;
  }
  return false;
}

/** The endpoint sends on to where the key must not go: to another host, nowhere, or in a circle. `to` undefined: nowhere. */
export function redirectFailure(
  context: ProviderContext,
  from: URL,
  to: URL | undefined,
): ModelError {
  const start = `${context.provider} at ${from.origin} redirects`;
  if (to === undefined) return new ModelError(`${start} to no address`, { retryable: false });
  return new ModelError(
    to.origin === from.origin
      ? `${start} again and again; check base_url`
      : `${start} to ${to.origin}: model calls hold the key, so they follow to no other host. ` +
        "If that host is meant, make it the base_url",
    { retryable: false },
  );
}

/** The answer began and broke off before its end. */
export function cutStreamFailure(context: ProviderContext, cause?: unknown): ModelError {
  const detail = cause === undefined ? "" : `: ${reasonOf(cause, context)}`;
  return new ModelError(
    `${context.provider} did not finish its reply: the stream ended early${detail}`,
    { retryable: true, mayBeBilled: true, cause },
  );
}

/** The endpoint answered with something other than a streamed reply, a web page for instance. */
export function foreignAnswerFailure(
  context: ProviderContext,
  answer: { contentType: string; body: string },
): ModelError {
  const body = safeText(answer.body, context).slice(0, 200);
  return new ModelError(
    `${context.provider} at ${context.baseUrl} answered with ${
      answer.contentType || "no content type"
    } ` +
      `instead of a streamed reply; check base_url${body === "" ? "" : `: ${body}`}`,
    { retryable: false },
  );
}

/** The provider reported an error inside a stream that had begun well. */
export function streamedFailure(context: ProviderContext, error: ProviderError): ModelError {
  const status = Number(error.code ?? Number.NaN);
  if (Number.isInteger(status) && status >= 400 && status < 600) {
    return answerFailure(context, { ...error, status });
  }
  return new ModelError(
    `${context.provider} broke off its reply: ${safeText(error.message, context)}`,
    {
      // What the caller asked wrongly stays wrong; anything else is the provider's own trouble.
      retryable: !/invalid|not_found|authentication|permission|context_length|content_filter/i
        .test(error.codes.join(" ")),
      told: toTold(error, context),
    },
  );
}

/** Reads the error in an answer or an event, in any shape that providers give it. */
export function readProviderError(text: string): ProviderError {
  const root: unknown = isWholeJson(text) ? JSON.parse(text) : undefined;
  const [first] = [root].flat();
  if (!isJsonObject(first)) return { message: text, codes: [] };
  const error = first.error ?? { ...first, message: first.message ?? text };
  if (!isJsonObject(error)) return { message: String(error), codes: [] };
  const { message = error, code, param, type, status } = error;
  return {
    message: typeof message === "string" ? message : JSON.stringify(message),
    code,
    codes: [code, param, type, status].filter((one) => typeof one === "string"),
    retryAfterMs: retryDelayMs(error.details),
  };
}

/** The wait that a RetryInfo detail (google.rpc.RetryInfo) asks for, in milliseconds. */
function retryDelayMs(details: JsonValue | undefined): number | undefined {
  for (const one of Array.isArray(details) ? details : []) {
    if (!isJsonObject(one) || typeof one.retryDelay !== "string") continue;
    const seconds = /^(\d+(?:\.\d+)?)s$/.exec(one.retryDelay)?.[1];
    if (seconds !== undefined) return Math.ceil(Number(seconds) * 1_000);
  }
  return undefined;
}

/** A provider's message on one line, of bounded length, without the key. */
function safeText(
  text: string,
  context: Pick<ProviderContext, "apiKey">,
  length = MAX_MESSAGE_LENGTH,
): string {
  const { apiKey } = context;
  const clean = apiKey === undefined || apiKey.length < SHORTEST_SECRET
    ? text
    : text.replaceAll(apiKey, "[key]");
  return toPlainLine(clean, length);
}

function toTold({ codes, message }: ProviderError, context: ProviderContext): string {
  return safeText([...codes, message].join(" "), context, MAX_TOLD_LENGTH);
}

function reasonOf(cause: unknown, context: ProviderContext): string {
  let error = cause;
  while (error instanceof Error && error.cause instanceof Error) error = error.cause;
  const text = error instanceof Error ? error.message : String(error);
  return safeText(text.replace(/^error sending request (for|from) [^)]*\)?:? ?/, ""), context);
}
