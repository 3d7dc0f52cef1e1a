// Slack: an incoming webhook. https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
import { cutEnd } from "../../../base/text/cut_text.ts";
import { type Channel, type OutgoingMessage } from "./channel.ts";
import { post, type PostPorts } from "./http_post.ts";

/** Slack collapses a longer text. */
const MAX_TEXT = 3_000;

/** Creates a channel to a webhook address, which is a secret. */
export function createSlack({ url }: { url: string }, ports: PostPorts): Channel {
  return {
    send: (message, signal) =>
      post({ url, body: JSON.stringify(toSlack(message)), headers: {} }, { ...ports, signal }),
  };
}

function toSlack({ title, text, link }: OutgoingMessage): unknown {
  const answer = link === null ? [] : [`<${link}|Answer>`];
  return {
    // Slack reads links and mentions only in angle brackets, which are escaped in the message's texts.
    text: [`*${escape(title)}*`, escape(cutEnd(text, MAX_TEXT)), ...answer].join("\n"),
    unfurl_links: false,
    unfurl_media: false,
  };
}

/** https://docs.slack.dev/messaging/formatting-message-text#escaping */
function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
