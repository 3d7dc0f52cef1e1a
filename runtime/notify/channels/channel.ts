// The port to a notification channel.
import type { NotifyKind } from "../../config/notify_schema.ts";

/** A message to be sent. */
export interface OutgoingMessage {
  id: string;
  kind: NotifyKind | "test";
  agentId: string | null;
  executionId: number | null;
  title: string;
  text: string;
  count: number;
  /** The time of the first event, in milliseconds since the epoch. */
  at: number;
  /** The link that opens the question; null: none. */
  link: string | null;
}

/** Error: a message was not delivered. Its text is a sentence for the log. */
export class DeliveryFailure extends Error {
  /** True: another attempt cannot succeed. */
  readonly isFinal: boolean;
  /** The wait that the receiver asks for. */
  readonly retryAfterMs: number;

  constructor(
    message: string,
    { isFinal = false, retryAfterMs = 0, cause }: {
      isFinal?: boolean;
      retryAfterMs?: number;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause });
    this.isFinal = isFinal;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A notification channel. */
export interface Channel {
  /**
   * Sends a message; returns the receiver's reply as the end of a sentence. Throws DeliveryFailure; rethrows the signal's
   * reason.
   */
  send(message: OutgoingMessage, signal: AbortSignal): Promise<string>;
}

/** Converts a message to JSON data for programs. */
export function toData(message: OutgoingMessage): Record<string, unknown> {
  const { kind, agentId, executionId, title, text, count, at, link } = message;
  return {
    kind,
    agent_id: agentId,
    execution_id: executionId,
    title,
    text,
    count,
    since: new Date(at).toISOString(),
    answer_url: link,
  };
}

/** Cuts a text to a number of UTF-8 bytes, with `…` at the cut. */
export function cutBytes(text: string, maxBytes: number): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= maxBytes) return text;
  // "…" has three bytes. A partial character at the end is dropped.
  return `${new TextDecoder().decode(bytes.subarray(0, maxBytes - 3), { stream: true })}…`;
}
