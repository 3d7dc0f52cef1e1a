// Verifies that the sender of a delivery knows the secret, by the rules of the trigger's scheme. trigger_kinds.ts lists the
// schemes with their sources.
import type { Trigger } from "../../agents/agent.ts";
import { MINUTE_MS, SECOND_MS } from "../../../base/time_units.ts";
import { isJsonObject } from "../../../base/json.ts";
import { valueAt } from "../../../base/text/json_pointer.ts";
import { SCHEME_FORMS } from "../../vocabulary/trigger_kinds.ts";
import { type Delivery, parseUnverified } from "./delivery.ts";

/** The maximum difference between the signed time of a delivery and the present time. */
export const FRESHNESS_MS = 5 * MINUTE_MS;
/**
 * The maximum number of signatures to check in a delivery. Senders send two while they rotate secrets; the limit bounds the
 * work that an attacker can cause.
 */
const MAX_SIGNATURES = 10;
/** The maximum number of notifications in one delivery of Microsoft Graph. */
const MAX_NOTIFICATIONS = 1_000;

type Scheme = Pick<Trigger<"webhook">, "scheme" | "header" | "encoding" | "in">;

/** The parts of a delivery that are needed to verify it. */
interface Evidence {
  signatures: Bytes[];
  /** The candidates for the signed text, each a list of parts. The signature must match one of them. */
  signed: (string | Bytes)[][];
  /** The signed time in seconds since the epoch, as the sender wrote it; absent if the scheme has none. */
  time?: string;
}

type Encoding = Scheme["encoding"] | "base64url";
type Bytes = Uint8Array<ArrayBuffer>;

/** Returns the HMAC key for a secret, or undefined if the secret does not have the format of the scheme. */
export function keyOf(secret: string, { scheme }: Pick<Scheme, "scheme">): Bytes | undefined {
  if (scheme !== "standard-webhooks") return encode(secret);
  const key = decode(secret.replace(/^whsec_/, ""), "base64");
  return key === undefined || key.length === 0 ? undefined : key;
}

/**
 * Returns true if one of the keys signed the delivery and its time is close to `now` (milliseconds since the epoch). The
 * duration of the check does not reveal which part is wrong.
 */
export async function isGenuine(
  delivery: Delivery,
  options: { trigger: Scheme; keys: readonly Bytes[]; now: number },
): Promise<boolean> {
  const { trigger, keys, now } = options;
  if (trigger.scheme === "token") return await isSecret(readToken(delivery, trigger), keys);
  if (trigger.scheme === "microsoft-graph") return await hasClientStates(delivery, keys);
  const evidence = readEvidence(delivery, { trigger, now });
  if (evidence === undefined) return false;
  let isSigned = false;
  for (const key of keys) {
    for (const parts of evidence.signed) {
      const expected = await hmac(key, parts, SCHEME_FORMS[trigger.scheme].hash);
      for (const signature of evidence.signatures.slice(0, MAX_SIGNATURES)) {
        if (isEqual(signature, expected)) isSigned = true;
      }
    }
  }
  return isSigned && isFresh(evidence.time, now);
}

function readEvidence(
  { headers, body, addresses = [] }: Delivery,
  { trigger, now }: { trigger: Scheme; now: number },
): Evidence | undefined {
  const { scheme } = trigger;
  switch (scheme) {
    case "stripe": {
      const parts = (headers.get("stripe-signature") ?? "").split(",").map((part) => part.trim());
      const valuesOf = (key: string) =>
        parts.filter((part) => part.startsWith(`${key}=`)).map((part) =>
          part.slice(key.length + 1)
        );
      const time = valuesOf("t")[0];
      return time === undefined ? undefined : {
        signatures: valuesOf("v1").flatMap(toDigest("hex")),
        signed: [[`${time}.`, body]],
        time,
      };
    }
    case "standard-webhooks": {
      const [id, time] = [headers.get("webhook-id"), headers.get("webhook-timestamp")];
      const list = (headers.get("webhook-signature") ?? "").split(" ");
      const signatures = list.flatMap((one) =>
        one.startsWith("v1,") ? toDigest("base64")(one.slice("v1,".length)) : []
      );
      return id === null || time === null
        ? undefined
        : { signatures, signed: [[`${id}.${time}.`, body]], time };
    }
    case "monday": {
      const token = (headers.get("authorization") ?? "").replace(/^bearer +/i, "");
      const [head = "", claims = "", digest = ""] = token.split(".");
      const until = valueAt(parseUnverified(decode(claims, "base64url") ?? body), "/exp");
      const holds = typeof until === "number" && until * SECOND_MS >= now;
      return holds
        ? { signatures: toDigest("base64url")(digest), signed: [[`${head}.${claims}`]] }
        : undefined;
    }
    default: {
      const { header = "x-signature", encoding = "hex", hash, timeHeader, bodyTime } = {
        ...SCHEME_FORMS[scheme],
        ...(scheme === "hmac" && { header: trigger.header, encoding: trigger.encoding }),
      };
      const text = headers.get(header)?.trim().replace(/^(sha256|v0)=/, "");
      const time = timeHeader && headers.get(timeHeader);
      if (text === undefined || time === null) return undefined;
      const signatures = toDigest(encoding)(text);
      if (time !== undefined) return { signatures, signed: [[`v0:${time}:`, body]], time };
      const sentAt = bodyTime && valueAt(parseUnverified(body), bodyTime);
      return {
        signatures,
        signed: hash === undefined ? [[body]] : addresses.map((address) => [body, address]),
        ...(typeof sentAt === "number" && { time: String(Math.floor(sentAt / SECOND_MS)) }),
      };
    }
  }
}

/** Returns a function that decodes a digest. Its result is a list with the digest, or an empty list for an invalid text. */
function toDigest(encoding: Encoding): (text: string) => Bytes[] {
  return (text) => {
    const bytes = decode(text, encoding);
    return bytes === undefined ? [] : [bytes];
  };
}

function isFresh(time: string | undefined, now: number): boolean {
  if (time === undefined) return true;
  return /^\d{1,12}$/.test(time) && Math.abs(now - Number(time) * SECOND_MS) <= FRESHNESS_MS;
}

/**
 * Returns the token from the place that the trigger names: the query, a header, or the password of Basic authentication.
 */
function readToken(delivery: Delivery, trigger: Scheme): string | undefined {
  const { header, in: place } = trigger;
  const { headers } = delivery;
  if (place === "query") return queryOf(delivery).get("token") ?? undefined;
  const authorization = headers.get("authorization") ?? "";
  if (place === "basic") {
    const pair = decode(/^basic +(.*)$/i.exec(authorization)?.[1] ?? "", "base64");
    return pair && /^[^:]*:(.*)$/s.exec(new TextDecoder().decode(pair))?.[1];
  }
  return header === undefined || header.toLowerCase() === "authorization"
    ? /^bearer +(.*)$/i.exec(authorization)?.[1]
    : headers.get(header) ?? undefined;
}

/** Returns the query parameters of a delivery's first address. */
export function queryOf(
  { addresses: [address = ""] = [] }: Pick<Delivery, "addresses">,
): URLSearchParams {
  return URL.parse(address)?.searchParams ?? new URLSearchParams();
}

/**
 * Returns true if each notification in a delivery of Microsoft Graph contains the secret as `clientState`. Graph sends no
 * signature.
 */
async function hasClientStates({ body }: Delivery, keys: readonly Bytes[]): Promise<boolean> {
  const items = valueAt(parseUnverified(body), "/value");
  if (!Array.isArray(items) || items.length === 0 || items.length > MAX_NOTIFICATIONS) return false;
  const known = await Promise.all(items.map((item) => {
    const state = isJsonObject(item) ? item["clientState"] : undefined;
    return isSecret(typeof state === "string" ? state : undefined, keys);
  }));
  return known.every(Boolean);
}

/**
 * Returns true if a text equals one of the keys. Compares digests of equal length, so that the duration does not even
 * reveal the length of the secret.
 */
export async function isSecret(
  given: string | undefined,
  keys: readonly Bytes[],
): Promise<boolean> {
  const digest = await digestOf(encode(given ?? ""));
  let isKnown = false;
  for (const key of keys) {
    if (isEqual(digest, await digestOf(key)) && given != null) isKnown = true;
  }
  return isKnown;
}

/**
 * Returns true if two byte arrays are equal. Compares every byte, so that the duration does not reveal the position of the
 * first difference.
 */
function isEqual(one: Bytes, other: Bytes): boolean {
  let difference = one.length ^ other.length;
  for (let i = 0; i < other.length; i++) difference |= (one[i] ?? 0) ^ (other[i] ?? 0);
  return difference === 0;
}

/** Returns the HMAC of the concatenated parts. */
export async function hmac(
  key: Bytes,
  parts: (string | Bytes)[],
  hash: "SHA-256" | "SHA-1" = "SHA-256",
): Promise<Bytes> {
  const algorithm = { name: "HMAC", hash };
  const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"]);
  const text = await new Blob(parts).arrayBuffer();
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, text));
}

async function digestOf(bytes: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

function encode(text: string): Bytes {
  return new TextEncoder().encode(text);
}

function decode(text: string, encoding: Encoding): Bytes | undefined {
  try {
    return encoding === "hex"
      ? Uint8Array.fromHex(text)
      : Uint8Array.fromBase64(text, { alphabet: encoding });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}
