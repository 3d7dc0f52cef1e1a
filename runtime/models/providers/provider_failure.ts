// Converts failures of providers to ModelError: with uniform messages, one rule for retries, and without keys in any text.
import { describeDenied } from "../../../base/denied_permission.ts";
import { isJsonObject, isWholeJson, type JsonValue } from "../../../base/json.ts";
import { toPlainLine } from "../../../base/text/plain_text.ts";
import { SHORTEST_SECRET } from "../../secrets/secret.ts";
import { ModelError, refusal } from "../model.ts";

/** The provider of a call, and the key that no message may contain. */
export interface ProviderContext {
  /** The name of the provider: `openai`, `anthropic`, or the agent's name for an endpoint. */
  provider: string;
  /** The address of the requests, for messages about connections. */
  baseUrl: string;
  /** The key of the call, which is removed from every message. */
  apiKey: string | undefined;
  /** Returns the present time in milliseconds since the epoch. Needed to convert a date in Retry-After to a wait. */
  now: () => number;
}

/** An error of a provider in parsed form. */
export interface ProviderError {
  message: string;
  /** The error code. If it is a number, it is the HTTP status. */
  code?: unknown;
  /** The codes in the error, such as its kind and the affected parameter. */
  codes: readonly string[];
  /** The wait that the error requests, in milliseconds. */
  retryAfterMs?: number | undefined;
}

const MAX_MESSAGE_LENGTH = 600;
const MAX_PROVIDER_TEXT_LENGTH = 4_000;

/** Returns true if the same call may succeed later after an answer with this status. */
export function isRetryableStatus(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

/**
 * Returns the wait of `Retry-After` (seconds or an HTTP date, RFC 9110 section 10.2.3) or `retry-after-ms` in milliseconds;
 * undefined without a valid value.
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

/** Returns the error for an answer with an error status, or for an error event that contains a status. */
export function answerFailure(
  context: ProviderContext,
  answer: ProviderError & { status: number; headers?: Headers },
): ModelError {
  const { status, headers } = answer;
  const wait = retryAfterMs(headers, context.now()) ?? answer.retryAfterMs;
  const text = safeText(answer.message, context);
  return new ModelError(
    `${context.provider} answered ${status}${text === "" ? "" : `: ${text}`}`,
    {
      retryable: isRetryableStatus(status),
      status,
      providerText: toProviderText(answer, context),
      retryAfterMs: wait,
    },
  );
}

/** Returns the error for a call without an answer: the host is unknown, refused the connection, or closed it. */
export function connectionFailure(context: ProviderContext, cause: unknown): ModelError {
  const denied = describeDenied(cause);
  return new ModelError(
    `Cannot reach ${context.provider} at ${context.baseUrl}: ${denied ?? reasonOf(cause, context)}`,
    { retryable: denied === undefined, mayBeBilled: !isUnsent(cause), cause },
  );
}

/** Returns true if no connection was made, so that the request was not sent. */
function isUnsent(cause: unknown): boolean {
  if (describeDenied(cause) !== undefined) return true;
  for (let error = cause; error instanceof Error; error = error.cause) {
    if (/\(connect\)|dns error|refused/i.test(error.message)) return true;
  }
  return false;
}

/**
 * Returns the error for a redirect that is not followed: to another host, in a loop, or without an address (`to`
 * undefined).
 */
export function redirectFailure(
  context: ProviderContext,
  from: URL,
  to: URL | undefined,
): ModelError {
  const start = `${context.provider} at ${from.origin} redirects`;
  if (to === undefined) return refusal(`${start} to no address`);
  return refusal(
    to.origin === from.origin
      ? `${start} again and again; check base_url`
      : `${start} to ${to.origin}: model calls contain the key, so redirects to other hosts are not followed. ` +
        "If that host is correct, set it as the base_url",
  );
}

/** Returns the error for a stream that ended early. */
export function cutStreamFailure(context: ProviderContext, cause?: unknown): ModelError {
  const detail = cause === undefined ? "" : `: ${reasonOf(cause, context)}`;
  return new ModelError(
    `${context.provider} did not finish its reply: the stream ended early${detail}`,
    { retryable: true, mayBeBilled: true, cause },
  );
}

/** Returns the error for an answer that is no reply, such as a web page. */
export function foreignAnswerFailure(
  context: ProviderContext,
  answer: { contentType: string; body: string },
): ModelError {
  const body = safeText(answer.body, context).slice(0, 200);
  return refusal(
    `${context.provider} at ${context.baseUrl} answered with ${
      answer.contentType || "no content type"
    } ` +
      `instead of a streamed reply; check base_url${body === "" ? "" : `: ${body}`}`,
  );
}

/** Returns the error for an error event inside a stream, or for an answer that `isWhole` an error in spite of its status. */
export function streamedFailure(
  context: ProviderContext,
  error: ProviderError,
  { isWhole }: { isWhole: boolean },
): ModelError {
  const status = Number(error.code ?? Number.NaN);
  if (isErrorStatus(status)) return answerFailure(context, { ...error, status });
  const verb = isWhole ? "answered with an error" : "broke off its reply";
  return new ModelError(
    `${context.provider} ${verb}: ${safeText(error.message, context)}`,
    {
      // An invalid request stays invalid. Other errors are problems of the provider and may be retried.
      retryable: !/invalid|not_found|authentication|permission|context_length|content_filter/i
        .test(error.codes.join(" ")),
      providerText: toProviderText(error, context),
    },
  );
}

function isErrorStatus(code: unknown): boolean {
  return Number.isInteger(Number(code)) && Number(code) >= 400 && Number(code) < 600;
}

/** Parses an error of a provider in an answer or event, in all known formats. */
export function readProviderError(text: string): ProviderError {
  const root: unknown = isWholeJson(text) ? JSON.parse(text) : undefined;
  const [first] = [root].flat();
  if (!isJsonObject(first)) return { message: text, codes: [] };
  const error = first.error ?? { ...first, message: first.message ?? text };
  const outside = [first.status, first.code];
  if (!isJsonObject(error)) {
    return { message: String(error), code: outside.find(isErrorStatus), codes: [] };
  }
  const { message = error, code, param, type, status } = error;
  return {
    message: typeof message === "string" ? message : JSON.stringify(message),
    code: [code, status, ...outside].find(isErrorStatus) ?? code,
    codes: [code, param, type, status].filter((one) => typeof one === "string"),
    retryAfterMs: retryDelayMs(error.details),
  };
}

/** Returns the wait of a RetryInfo detail (google.rpc.RetryInfo), in milliseconds. */
function retryDelayMs(details: JsonValue | undefined): number | undefined {
  for (const one of Array.isArray(details) ? details : []) {
    if (!isJsonObject(one) || typeof one.retryDelay !== "string") continue;
    const seconds = /^(\d+(?:\.\d+)?)s$/.exec(one.retryDelay)?.[1];
    if (seconds !== undefined) return Math.ceil(Number(seconds) * 1_000);
  }
  return undefined;
}

/** Returns a message of the provider on one line, shortened and without the key. */
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

function toProviderText({ codes, message }: ProviderError, context: ProviderContext): string {
  return safeText([...codes, message].join(" "), context, MAX_PROVIDER_TEXT_LENGTH);
}

function reasonOf(cause: unknown, context: ProviderContext): string {
  let error = cause;
  while (error instanceof Error && error.cause instanceof Error) error = error.cause;
  const text = error instanceof Error ? error.message : String(error);
  return safeText(text.replace(/^error sending request (for|from) [^)]*\)?:? ?/, ""), context);
}
