// Whether a delivery was made by somebody who knows the secret, by the rules of its scheme.
//
// Sources: docs.github.com "Validating webhook deliveries"; docs.stripe.com/webhooks#verify-manually;
// docs.slack.dev "Verifying requests from Slack"; standardwebhooks.com, the specification.
import type { WebhookTrigger } from "../../agents/agent.ts";
import { MINUTE_MS, SECOND_MS } from "../../../base/time_units.ts";
import type { Delivery } from "./delivery.ts";

/** So far from now the time that a delivery names may be, before or after. */
export const FRESHNESS_MS = 5 * MINUTE_MS;
/** While secrets are changed there are two signatures; each more would cost a sender nothing and us time. */
const MAX_SIGNATURES = 10;
const DIGEST_BYTES = 32;

type Scheme = Pick<WebhookTrigger, "scheme" | "header" | "encoding">;

/** What a delivery brings along to be checked. */
interface Evidence {
  signatures: Bytes[];
  /** What stands before the body in the signed text. */
  prefix: string;
  /** When it was made, in seconds since the epoch, as the delivery writes it; absent: the scheme does not say. */
  time?: string;
}

type Bytes = Uint8Array<ArrayBuffer>;

/** The key that a secret stands for; undefined where it is none of this scheme. */
export function keyOf(secret: string, { scheme }: Pick<Scheme, "scheme">): Bytes | undefined {
  if (scheme !== "standard-webhooks") return encode(secret);
  const key = fromBase64(secret.replace(/^whsec_/, ""));
  return key === undefined || key.length === 0 ? undefined : key;
}

/**
 * Whether one of the keys signed the delivery, at a time that is not too far from `now` (milliseconds since the epoch). Takes
 * as long whichever part is wrong of a delivery that has all parts.
 */
export async function isGenuine(
  delivery: Delivery,
  options: { trigger: Scheme; keys: readonly Bytes[]; now: number },
): Promise<boolean> {
  const { trigger, keys, now } = options;
  if (trigger.scheme === "token") return await hasToken(delivery, trigger, keys);
  const evidence = readEvidence(delivery.headers, trigger);
  if (evidence === undefined) return false;
  const signed = join(encode(evidence.prefix), delivery.body);
  let isSigned = false;
  for (const key of keys) {
    const expected = await hmac(key, signed);
    for (const signature of evidence.signatures.slice(0, MAX_SIGNATURES)) {
      if (isEqual(signature, expected)) isSigned = true;
    }
  }
  return isSigned && isFresh(evidence.time, now);
}

function readEvidence(headers: Headers, trigger: Scheme): Evidence | undefined {
  const { scheme } = trigger;
  switch (scheme) {
    case "token":
      return undefined;
    case "github":
      return readPlain(headers.get("x-hub-signature-256"), { prefix: "sha256=", encoding: "hex" });
    case "hmac": {
      const { header = "x-signature", encoding } = trigger;
      const text = headers.get(header)?.trim();
      return readPlain(text?.replace(/^sha256=/, ""), { prefix: "", encoding });
    }
    case "stripe": {
      const parts = (headers.get("stripe-signature") ?? "").split(",").map((part) => part.trim());
      const valuesOf = (key: string) =>
        parts.filter((part) => part.startsWith(`${key}=`)).map((part) =>
          part.slice(key.length + 1)
        );
      const time = valuesOf("t")[0];
      return time === undefined
        ? undefined
        : { signatures: valuesOf("v1").flatMap(toDigest("hex")), prefix: `${time}.`, time };
    }
    case "slack": {
      const time = headers.get("x-slack-request-timestamp");
      const text = headers.get("x-slack-signature");
      const found = readPlain(text, { prefix: "v0=", encoding: "hex" });
      return time === null ? undefined : found && { ...found, prefix: `v0:${time}:`, time };
    }
    case "standard-webhooks": {
      const [id, time] = [headers.get("webhook-id"), headers.get("webhook-timestamp")];
      const list = (headers.get("webhook-signature") ?? "").split(" ");
      const signatures = list.flatMap((one) =>
        one.startsWith("v1,") ? toDigest("base64")(one.slice("v1,".length)) : []
      );
      return id === null || time === null
        ? undefined
        : { signatures, prefix: `${id}.${time}.`, time };
    }
    default:
      return scheme satisfies never;
  }
}

/** One signature of the body alone. */
function readPlain(
  text: string | null | undefined,
  { prefix, encoding }: { prefix: string; encoding: Scheme["encoding"] },
): Evidence | undefined {
  if (text == null || !text.startsWith(prefix)) return undefined;
  return { signatures: toDigest(encoding)(text.slice(prefix.length)), prefix: "" };
}

/** The digest that a text writes, as a list of one; empty where it writes none. */
function toDigest(encoding: Scheme["encoding"]): (text: string) => Bytes[] {
  return (text) => {
    const bytes = encoding === "hex" ? fromHex(text) : fromBase64(text);
    return bytes?.length === DIGEST_BYTES ? [bytes] : [];
  };
}

function isFresh(time: string | undefined, now: number): boolean {
  if (time === undefined) return true;
  return /^\d{1,12}$/.test(time) && Math.abs(now - Number(time) * SECOND_MS) <= FRESHNESS_MS;
}

/** Digests are compared, which are equally long: the time tells nothing, not even how long the token is. */
async function hasToken(
  { headers }: Delivery,
  { header }: Scheme,
  keys: readonly Bytes[],
): Promise<boolean> {
  const given = header === undefined || header.toLowerCase() === "authorization"
    ? /^bearer +(.*)$/i.exec(headers.get("authorization") ?? "")?.[1]
    : headers.get(header);
  const digest = await digestOf(encode(given ?? ""));
  let isKnown = false;
  for (const key of keys) {
    if (isEqual(digest, await digestOf(key)) && given != null) isKnown = true;
  }
  return isKnown;
}

/** Looks at every byte, wherever the first difference is. */
function isEqual(one: Bytes, other: Bytes): boolean {
  let difference = one.length ^ other.length;
  for (let i = 0; i < other.length; i++) difference |= (one[i] ?? 0) ^ (other[i] ?? 0);
  return difference === 0;
}

async function hmac(key: Bytes, text: Bytes): Promise<Bytes> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, text));
}

async function digestOf(bytes: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

function join(one: Bytes, other: Bytes): Bytes {
  const whole = new Uint8Array(one.length + other.length);
  whole.set(one);
  whole.set(other, one.length);
  return whole;
}

function encode(text: string): Bytes {
  return new TextEncoder().encode(text);
}

function fromHex(text: string): Bytes | undefined {
  return /^([0-9a-f]{2})*$/i.test(text) ? Uint8Array.fromHex(text) : undefined;
}

function fromBase64(text: string): Bytes | undefined {
  try {
    return Uint8Array.fromBase64(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}
