// Sends the POST request of a channel. The request reaches only hosts that http_request may reach, and follows no
// redirects.
import { withinTime } from "../../../base/bounded_wait.ts";
import { HOUR_MS, SECOND_MS } from "../../../base/time_units.ts";
import { exchange, type ExchangeReply } from "../../tools/http/http_exchange.ts";
import { resolveHostBySystem } from "../../tools/http/host_lookup.ts";
import { OWN_HEADERS } from "../../tools/http/http_redirects.ts";
import { ToolFailure } from "../../tools/failures/tool_failure.ts";
import type { ChannelPorts } from "./channel.ts";
import { DeliveryFailure } from "../../vocabulary/delivery_failure.ts";

const TIMEOUT_MS = 20 * SECOND_MS;
const MAX_REPLY_BYTES = 16 * 1_024;
const LONGEST_RETRY_AFTER_MS = HOUR_MS;
/** The HTTP statuses after which another attempt cannot succeed. */
const FINAL: ReadonlySet<number> = new Set([400, 410, 413, 422]);

/**
 * Sends a request with a body of JSON, and headers with lower-case names. Returns the receiver's status if it accepted the
 * message. Throws DeliveryFailure, and the signal's reason on abort.
 */
export async function post(
  { policy, clock, resolveHost = resolveHostBySystem }: ChannelPorts,
  signal: AbortSignal,
  { url: address, body, headers }: { url: string; body: string; headers: Record<string, string> },
): Promise<string> {
  const url = new URL(address);
  const bytes = new TextEncoder().encode(body);
  const limit = {
    clock,
    ms: TIMEOUT_MS,
    signal,
    reason: new ToolFailure(`${url.host} did not answer within ${TIMEOUT_MS / SECOND_MS} seconds.`),
  };
  let reply: ExchangeReply;
  try {
    reply = await withinTime(
      limit,
      (inTime) =>
        exchange({
          url,
          method: "POST",
          headers: {
            ...OWN_HEADERS,
            "content-type": "application/json",
            "content-length": String(bytes.length),
            ...headers,
          },
          body: bytes,
        }, { policy, maxBytes: MAX_REPLY_BYTES, signal: inTime, resolveHost }),
    );
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ToolFailure)) throw error;
    throw new DeliveryFailure(error.message, { cause: error });
  }
  const { status } = reply;
  if (status >= 200 && status < 300) return `${url.host} answered ${status}`;
  const moved = status >= 300 && status < 400
    ? " (redirects are not followed: write the new address)"
    : "";
  throw new DeliveryFailure(`${url.host} answered ${status}${moved}.`, {
    isFinal: FINAL.has(status),
    retryAfterMs: readRetryAfter(reply.headers.get("retry-after"), clock.now()),
  });
}

/**
 * Parses the header `Retry-After`, a number of seconds or a date. Returns the wait in milliseconds, at most an hour.
 * Returns 0 for other texts.
 */
export function readRetryAfter(text: string | undefined, now: number): number {
  if (text === undefined) return 0;
  const ms = /^\d{1,9}$/.test(text.trim())
    ? Number(text) * SECOND_MS
    : /[a-z]{3}/i.test(text)
    ? Date.parse(text) - now
    : NaN;
  return Number.isFinite(ms) ? Math.max(0, Math.min(ms, LONGEST_RETRY_AFTER_MS)) : 0;
}
