// Creates the channel `webhook`, which sends JSON to a program. The requests are signed according to Standard Webhooks:
// https://www.standardwebhooks.com
import { toTimestamp } from "../../../base/clock.ts";
import { SECOND_MS } from "../../../base/time_units.ts";
import { hmac } from "../../triggers/webhook/signature.ts";
import { type Channel, type ChannelPorts, toData } from "./channel.ts";
import { post } from "./http_post.ts";
import { DeliveryFailure } from "../../vocabulary/delivery_failure.ts";

/** The minimum and maximum size of a secret according to Standard Webhooks, in bytes. */
const SHORTEST_SECRET = 24;
const LONGEST_SECRET = 64;

/** Creates a webhook channel. `secret` is `whsec_` followed by Base64. Throws DeliveryFailure if it is not. */
export function createWebhook(
  { url, secret }: { url: string; secret: string },
  ports: ChannelPorts,
): Channel {
  const key = readSigningSecret(secret);
  if (key === undefined) {
    throw new DeliveryFailure(
      `its secret must be whsec_ and ${SHORTEST_SECRET} to ${LONGEST_SECRET} bytes in base64: ` +
        'create them with "openssl rand -base64 32"',
    );
  }
  return {
    async send(message, signal) {
      const now = ports.clock.now();
      const body = JSON.stringify({
        type: `inkling.${message.kind}`,
        timestamp: toTimestamp(now),
        data: toData(message),
      });
      const timestamp = Math.floor(now / SECOND_MS);
      return await post(ports, signal, {
        url,
        body,
        headers: {
          "webhook-id": message.id,
          "webhook-timestamp": String(timestamp),
          "webhook-signature": await sign(body, { id: message.id, timestamp, key }),
          "idempotency-key": message.id,
        },
      });
    },
  };
}

/** Decodes a signing secret. Returns undefined if it is invalid. */
export function readSigningSecret(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const bytes = Uint8Array.fromBase64(text.trim().replace(/^whsec_/, ""));
    const { length } = bytes;
    return length >= SHORTEST_SECRET && length <= LONGEST_SECRET ? bytes : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Returns the signature of `<id>.<timestamp>.<body>`, with its version `v1,` in front. */
export async function sign(
  body: string,
  { id, timestamp, key }: { id: string; timestamp: number; key: Uint8Array<ArrayBuffer> },
): Promise<string> {
  return `v1,${(await hmac(key, [`${id}.${timestamp}.${body}`])).toBase64()}`;
}
