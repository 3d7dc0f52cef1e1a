// Answers unsigned handshakes: requests with which a sender checks an address before its first delivery. A handshake starts
// no run. trigger_kinds.ts lists the handshakes with their sources.
import type { JsonValue } from "../../../base/json.ts";
import { valueAt } from "../../../base/text/json_pointer.ts";
import { HANDSHAKES, type WebhookHandshake } from "../../vocabulary/trigger_kinds.ts";
import { type Delivery, parseUnverified } from "./delivery.ts";
import { hmac, isSecret, queryOf } from "./signature.ts";

/** The maximum length of a text that is returned to an unverified sender. */
const MAX_ECHO_CHARACTERS = 1_000;
/** The maximum body of a handshake, in bytes. */
const MAX_BODY_BYTES = 8 * MAX_ECHO_CHARACTERS;
/**
 * The tokens of Zoom that are signed and returned. The pattern excludes colons. Signatures of Zoom deliveries cover a text
 * with a colon, so no answer can serve as the signature of a delivery.
 */
const ZOOM_TOKEN = /^[\w+/=-]{1,200}$/;

/** Returns true if senders perform this kind of handshake with a GET or HEAD request. */
export function isGetHandshake(handshake: WebhookHandshake | undefined): boolean {
  return handshake !== undefined && !HANDSHAKES[handshake].startsWith("POST");
}

/** The body of the answer: text, or an object for JSON. */
export type HandshakeAnswer = string | Record<string, string>;

/**
 * Returns the answer to an unsigned handshake, or undefined if the delivery is no handshake. `verifyKeys` are the accepted
 * verify tokens of Meta.
 */
export async function answerUnsignedHandshake(
  delivery: Delivery,
  options: {
    handshake: WebhookHandshake | undefined;
    keys: readonly Uint8Array<ArrayBuffer>[];
    verifyKeys: readonly Uint8Array<ArrayBuffer>[];
  },
): Promise<HandshakeAnswer | undefined> {
  const { handshake, keys: [key], verifyKeys } = options;
  const { body, method = "POST" } = delivery;
  if (handshake === undefined || isGetHandshake(handshake) === (method === "POST")) return;
  const query = queryOf(delivery);
  const sent = body.length > MAX_BODY_BYTES ? undefined : parseUnverified(body);
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
