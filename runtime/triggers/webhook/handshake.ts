// Senders that try an address before they send anything: the answer proves that somebody expects them. It starts nothing. The
// forms, with their sources, are in trigger_kinds.ts.
import type { JsonValue } from "../../../base/json.ts";
import { valueAt } from "../../../base/json_pointer.ts";
import { HANDSHAKES, type WebhookHandshake } from "../../trigger_kinds.ts";
import { type Delivery, parseUnproven } from "./delivery.ts";
import { hmac, isSecret, queryOf } from "./signature.ts";

/** The longest text of a stranger that is sent back. */
const MAX_ECHO_CHARACTERS = 1_000;
/** The longest body of a trial. */
const MAX_BODY_BYTES = 8 * MAX_ECHO_CHARACTERS;
/** Without a colon: no text that Zoom signs is one, so that nobody gets a signature of a delivery. */
const ZOOM_TOKEN = /^[\w+/=-]{1,200}$/;

/** True: GET and HEAD begin a handshake, not POST. */
export function isBegunByReading(handshake: WebhookHandshake | undefined): boolean {
  return handshake !== undefined && !HANDSHAKES[handshake].startsWith("POST");
}

/** An answer: a text, or JSON. */
export type HandshakeAnswer = string | Record<string, string>;

/** Answers a delivery that only tries the address; undefined for any other. `verifyKeys`: Meta's verify token. */
export async function answerTrial(
  delivery: Delivery,
  options: {
    handshake: WebhookHandshake | undefined;
    keys: readonly Uint8Array<ArrayBuffer>[];
    verifyKeys: readonly Uint8Array<ArrayBuffer>[];
  },
): Promise<HandshakeAnswer | undefined> {
  const { handshake, keys: [key], verifyKeys } = options;
  const { body, method = "POST" } = delivery;
  if (handshake === undefined || isBegunByReading(handshake) === (method === "POST")) return;
  const query = queryOf(delivery);
  const sent = body.length > MAX_BODY_BYTES ? undefined : parseUnproven(body);
  switch (handshake) {
    case "trello":
      return "";
    case "microsoft-graph":
      return echo(query.get("validationToken"));
    case "dropbox":
    case "nylas":
      return echo(query.get("challenge"));
    case "meta": {
      const isOurs = await isSecret(query.get("hub.verify_token") ?? undefined, verifyKeys);
      return isOurs && query.get("hub.mode") === "subscribe"
        ? echo(query.get("hub.challenge"))
        : undefined;
    }
    case "monday": {
      const challenge = echo(valueAt(sent, "/challenge"));
      return challenge === undefined ? undefined : { challenge };
    }
    case "zoom": {
      const plainToken = valueAt(sent, "/payload/plainToken");
      if (valueAt(sent, "/event") !== "endpoint.url_validation" || key === undefined) {
        return undefined;
      }
      return typeof plainToken === "string" && ZOOM_TOKEN.test(plainToken)
        ? { plainToken, encryptedToken: (await hmac(key, [plainToken])).toHex() }
        : undefined;
    }
    default:
      return handshake satisfies never;
  }
}

function echo(text: JsonValue | undefined): string | undefined {
  return typeof text === "string" && text !== "" && text.length <= MAX_ECHO_CHARACTERS
    ? text
    : undefined;
}
