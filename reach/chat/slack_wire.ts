// Converts between Slack's wire format and the messages of a chat.
import {
  type AnyBlock,
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
} from "@slack/web-api";
import { SECOND_MS } from "../../base/time_units.ts";
import {
  AppFailure,
  type ButtonPress,
  type ChatMessage,
  type Post,
  type ReceivedFile,
} from "./chat_app.ts";
import { toCommand } from "./conversations.ts";

/** The part of an envelope that says what happened. Everything in `body` was chosen by its sender, or by Slack. */
export interface Envelope {
  type: string;
  envelope_id: string;
  body: {
    event?: SlackMessage;
    type?: string;
    user?: { id: string; username?: string };
    channel?: { id: string };
    message?: { ts: string };
    actions?: readonly { value?: string }[];
  };
}

interface SlackMessage {
  type: string;
  subtype?: string;
  channel: string;
  channel_type?: string;
  user?: string;
  bot_id?: string;
  text?: string;
  ts: string;
  thread_ts?: string;
  attachments?: readonly { is_share?: boolean }[];
  files?: readonly { name?: string; url_private_download?: string; url_private?: string }[];
}

/** The subtypes of messages that people write. Changes and deletions have others. */
const WRITTEN: ReadonlySet<string | undefined> = new Set([undefined, "file_share"]);
/** The buttons that one block can have. */
const MOST_BUTTONS = 25;
const MAX_LABEL = 75;

/** Returns the message or press of an envelope. Undefined for everything else, and for messages of bots. */
export function toIncoming(
  { type, envelope_id: key, body }: Envelope,
  botId: string,
): ChatMessage | ButtonPress | undefined {
  const { event, user, channel, message, actions = [] } = body;
  if (type === "interactive" && body.type === "block_actions") {
    const data = actions[0]?.value;
    if (!user || !channel || !message || data === undefined) return undefined;
    return {
      type: "press",
      key,
      ...toPlace(channel.id),
      sender: { id: user.id, name: user.username ?? user.id },
      messageId: message.ts,
      data,
    };
  }
  if (type !== "events_api" || event === undefined) return undefined;
  const place = toPlace(event.channel);
  // A group's messages come as mentions, so that a message never comes as two events.
  if (event.type !== (place.isGroup ? "app_mention" : "message")) return undefined;
  const { user: sender, ts, thread_ts: thread, attachments = [] } = event;
  if (sender === undefined || event.bot_id !== undefined || !WRITTEN.has(event.subtype)) {
    return undefined;
  }
  return {
    type: "message",
    key: `${event.channel}-${ts}`,
    ...place,
    sender: { id: sender, name: sender },
    // Slack has replies to the first message of a thread only.
    messageId: place.isGroup ? thread ?? ts : ts,
    text: toText(event.text ?? "", botId),
    sentAt: Number(ts) * SECOND_MS,
    replyTo: thread === undefined || thread === ts ? null : thread,
    isForwarded: attachments.some(({ is_share: isShare }) => isShare === true),
    isAddressed: true,
    files: toFiles(event.files ?? []),
  };
}

/** Returns the text and blocks of a message. Texts of rich blocks are never interpreted as markup. */
export function toPayload({ text, code, buttons = [] }: Post): {
  text: string;
  blocks: AnyBlock[];
  unfurl_links: boolean;
  unfurl_media: boolean;
} {
  const blocks: AnyBlock[] = [{
    type: "rich_text",
    elements: [
      { type: "rich_text_section", elements: [{ type: "text", text }] },
      ...(code === undefined ? [] : [{
        type: "rich_text_preformatted" as const,
        elements: [{ type: "text" as const, text: code }],
      }]),
    ],
  }];
  const row = buttons.flat().map(({ label, data }, index) => ({
    type: "button" as const,
    action_id: `button-${index}`,
    text: { type: "plain_text" as const, text: label.slice(0, MAX_LABEL) },
    value: data,
  }));
  for (let at = 0; at < row.length; at += MOST_BUTTONS) {
    blocks.push({ type: "actions", elements: row.slice(at, at + MOST_BUTTONS) });
  }
  // This text is for notifications only. Without the escapes it could mention everybody.
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return { text: escaped, blocks, unfurl_links: false, unfurl_media: false };
}

/** Direct conversations have ids with a D. */
function toPlace(channel: string): { place: string; isGroup: boolean } {
  return { place: channel, isGroup: !channel.startsWith("D") };
}

/** Returns a text as its sender typed it, without the mention of the bot. */
function toText(text: string, botId: string): string {
  const typed = text.replaceAll(`<@${botId}>`, "").trim()
    .replaceAll(/<((?:https?|mailto):[^|>]+)(?:\|[^>]*)?>/g, "$1")
    .replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
  return toCommand(typed);
}

function toFiles(files: NonNullable<SlackMessage["files"]>): ReceivedFile[] {
  return files.flatMap(({ name = "file", url_private_download: own, url_private: address }) => {
    const ref = own ?? address;
    return ref === undefined ? [] : [{ name, ref }];
  });
}

/** The refusals that can end without a change of the request: Slack's own trouble, and tokens that are replaced. */
const PASSING: ReadonlySet<string> = new Set([
  ...["internal_error", "fatal_error", "service_unavailable", "request_timeout"],
  ...["ratelimited", "rate_limited", "team_added_to_org"],
  ...["invalid_auth", "not_authed", "token_expired", "token_revoked", "account_inactive"],
]);

/** Returns the failure of a request or of the socket. The texts of errors can contain tokens and addresses. */
export function toFailure(error: unknown): AppFailure {
  if (error instanceof WebAPIRateLimitedError) {
    return new AppFailure("Slack asks for a pause", { retryAfterMs: error.retryAfter * SECOND_MS });
  }
  if (error instanceof WebAPIHTTPError) {
    return new AppFailure(`Slack refused a request with status ${error.statusCode}`);
  }
  if (error instanceof WebAPIPlatformError) {
    const { error: code = "", needed } = error.data as { error?: string; needed?: string };
    // A reply that is not JSON has its whole text here.
    if (!/^[a-z_]{1,60}$/.test(code)) return new AppFailure("Slack's reply cannot be read");
    const missing = /^[a-z:,_.]{1,100}$/.test(needed ?? "") ? `; the app needs ${needed}` : "";
    return new AppFailure(`Slack refused a request: ${code}${missing}`, {
      isFinal: !PASSING.has(code),
    });
  }
  return new AppFailure("Slack cannot be reached");
}
