// Declares the interface of a notification channel.
import type { NotifyKind } from "../../config/notify_schema.ts";

/** A message to send through a channel. */
export interface OutgoingMessage {
  /** The id, which is the same in each attempt, so that a receiver can detect a repetition. */
  id: string;
  kind: NotifyKind | "test";
  /** The id of the agent that the message is about. Null if it is about the whole workspace. */
  agentId: string | null;
  executionId: number | null;
  /** The id of the question that the message is about. Null if it is about none. */
  requestId: string | null;
  /** True if an earlier message was about the same question. */
  isReminder: boolean;
  title: string;
  text: string;
  /** The number of similar messages that were combined into this one, which has the text of the last. */
  count: number;
  /** The time of the first event that the message is about, in milliseconds since 1970. */
  at: number;
  /** The link that opens the question. Null if there is none. */
  link: string | null;
}

/** Error: a message was not delivered. The message of the error is a sentence for the log. */
export class DeliveryFailure extends Error {
  /** True if another attempt cannot succeed. */
  readonly isFinal: boolean;
  /** The minimum wait that the receiver requests before the next attempt, in milliseconds. */
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

/** A channel that delivers messages to people. */
export interface Channel {
  /**
   * Sends a message and returns the receiver's reply as a clause. Throws DeliveryFailure, and the signal's reason on abort.
   */
  send(message: OutgoingMessage, signal: AbortSignal): Promise<string>;
  /** Returns the reason why the receiver accepts no messages, or undefined. Absent if only a message shows it. */
  check?(): Promise<string | undefined>;
}

/** Returns the fields of a message as JSON data for programs. */
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

/** Returns the text, or its beginning with `…` that fits into `maxBytes` of UTF-8. */
export function cutBytes(text: string, maxBytes: number): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= maxBytes) return text;
  // `…` has three bytes. With `stream`, the decoder drops a character that the cut splits.
  return `${new TextDecoder().decode(bytes.subarray(0, maxBytes - 3), { stream: true })}…`;
}
