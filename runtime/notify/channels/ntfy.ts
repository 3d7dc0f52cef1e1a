// Creates the channel `ntfy`, which sends push messages to phones that subscribe to a topic. Format:
// https://docs.ntfy.sh/publish/#publish-as-json
import type { NotifyKind } from "../../config/notify_schema.ts";
import { type Channel, type ChannelPorts, cutBytes } from "./channel.ts";
import { post } from "./http_post.ts";

/** The maximum size of a text in UTF-8 bytes. The server converts a longer text to an attachment. */
const MAX_MESSAGE_BYTES = 4_000;
const MAX_TITLE_BYTES = 240;

/** The priorities by kind of message. 3 is the default, 4 makes a sound, 2 is silent. */
const PRIORITIES: Readonly<Record<NotifyKind | "test", number>> = {
  waiting: 4,
  error: 4,
  loop: 4,
  budget: 4,
  missed: 3,
  success: 2,
  test: 3,
};

/** Creates a channel to a topic of an ntfy server. `token` is sent for authorization. */
export function createNtfy(
  { url, topic, token }: { url: string; topic: string; token: string | undefined },
  ports: ChannelPorts,
): Channel {
  return {
    send: ({ id, kind, title, text, link }, signal) =>
      post(ports, signal, {
        url: `${url}/`,
        body: JSON.stringify({
          topic,
          title: cutBytes(title, MAX_TITLE_BYTES),
          message: cutBytes(text, MAX_MESSAGE_BYTES),
          priority: PRIORITIES[kind],
          ...(link !== null &&
            { click: link, actions: [{ action: "view", label: "Answer", url: link }] }),
        }),
        headers: {
          "idempotency-key": id,
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
      }),
  };
}
