// The port to one way of reaching a person.
import type { NotifyKind } from "../../config/notify_schema.ts";

/** A message as it is sent. */
export interface OutgoingMessage {
  id: string;
  kind: NotifyKind | "test";
  agentId: string | null;
  executionId: number | null;
  title: string;
  text: string;
  count: number;
  /** Milliseconds since the epoch: when the first of them happened. */
  at: number;
  /** Where a question may be answered; null: nowhere. */
  link: string | null;
}

/** It did not arrive. The message is a sentence for the log. */
export class DeliveryFailure extends Error {
  /** Another attempt cannot do better. */
  readonly isFinal: boolean;
  /** How long the receiver wants to be left alone. */
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

/** One channel. */
export interface Channel {
  /** Resolves with what came back, as the end of a sentence. Throws DeliveryFailure; rethrows the signal's reason. */
  send(message: OutgoingMessage, signal: AbortSignal): Promise<string>;
}

/** The message as data: for programs. */
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

/** At most so many bytes of a text as UTF-8, with `…` where it was cut. */
export function cutBytes(text: string, maxBytes: number): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= maxBytes) return text;
  // "…" takes three; half a character at the end is left out.
  return `${new TextDecoder().decode(bytes.subarray(0, maxBytes - 3), { stream: true })}…`;
}
