// Declares the interface of a notification channel, and the objects that channels need.
import type { ChatSettings } from "../../config/chat_schema.ts";
import type { Config } from "../../config/config.ts";
import type { Context } from "../../config/context.ts";
import type { Directories } from "../../config/directories.ts";
import type { Environment } from "../../config/files/environment.ts";
import type { NotifyKind } from "../../config/notify_schema.ts";
import type { MailAccounts } from "../../mail/mail_accounts.ts";
import type { ResolveHost } from "../../tools/http/host_lookup.ts";
import type { HttpPolicy } from "../../tools/http/http_policy.ts";

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

/** The objects that the channels of a workspace need. */
export interface ChannelPorts extends Pick<Context, "clock" | "redactor"> {
  settings: {
    readonly config: Pick<Config, "mail" | "notify">;
    directories: Pick<Directories, "configDir" | "stateDir">;
    environment: Pick<Environment, "get">;
  };
  policy: HttpPolicy;
  resolveHost?: ResolveHost;
  os: typeof Deno.build.os;
  openMail: () => Promise<MailAccounts>;
  /** Opens the channel of a chat. Absent in a process that does not send messages. */
  openChat?: OpenChat | undefined;
}

/** Returns the channel of a chat. The packages of its app are loaded with the first message. */
export type OpenChat = (chat: ChatSettings) => Channel;

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
