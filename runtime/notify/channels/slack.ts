// Creates the channel `slack`, an incoming webhook. Format:
// https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
import { cutEnd } from "../../../base/text/cut_text.ts";
import { type Channel, type ChannelPorts, type OutgoingMessage } from "./channel.ts";
import { post } from "./http_post.ts";

/** The maximum length of a text in UTF-16 code units. Slack collapses a longer text. */
const MAX_TEXT = 3_000;

/** Creates a channel to a webhook URL, which is a secret. */
export function createSlack(url: string, ports: ChannelPorts): Channel {
  return {
    send: (message, signal) =>
      post(ports, signal, { url, body: JSON.stringify(toSlack(message)), headers: {} }),
  };
}

function toSlack({ title, text, link }: OutgoingMessage): unknown {
  const answer = link === null ? [] : [`<${link}|Answer>`];
  return {
    // Slack recognizes links and mentions only in angle brackets, which are escaped in the title and the text.
    text: [`*${escape(title)}*`, escape(cutEnd(text, MAX_TEXT)), ...answer].join("\n"),
    unfurl_links: false,
    unfurl_media: false,
  };
}

/** Escapes a text as Slack requires: https://docs.slack.dev/messaging/formatting-message-text#escaping */
function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
