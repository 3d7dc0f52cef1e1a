// ntfy: push messages to the phones that subscribe to a topic. https://docs.ntfy.sh/publish/#publish-as-json
import type { NotifyKind } from "../../config/notify_schema.ts";
import { type Channel, cutBytes, type OutgoingMessage } from "./channel.ts";
import { post, type PostPorts } from "./http_post.ts";

/** The server turns a longer text into an attachment. */
const MAX_MESSAGE_BYTES = 4_000;
const MAX_TITLE_BYTES = 240;

/** 3 is the default, 4 makes a sound, 2 is silent. */
const PRIORITIES: Readonly<Record<NotifyKind | "test", number>> = {
  waiting: 4,
  error: 4,
  loop: 4,
  budget: 4,
  missed: 3,
  success: 2,
  test: 3,
};

/** Creates a channel to a topic of a server. */
export function createNtfy(
  { url, topic, token }: { url: string; topic: string; token: string | undefined },
  ports: PostPorts,
): Channel {
  return {
    send: (message, signal) =>
      post({
        url: `${url}/`,
        body: JSON.stringify(toNtfy(message, topic)),
        headers: {
          "idempotency-key": message.id,
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
      }, { ...ports, signal }),
  };
}

function toNtfy({ kind, title, text, link }: OutgoingMessage, topic: string): unknown {
  return {
    topic,
    title: cutBytes(title, MAX_TITLE_BYTES),
    message: cutBytes(text, MAX_MESSAGE_BYTES),
    priority: PRIORITIES[kind],
    ...(link !== null &&
      { click: link, actions: [{ action: "view", label: "Answer", url: link }] }),
  };
}
