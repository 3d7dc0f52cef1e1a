// Whether a delivery was made by somebody who knows the secret, by the rules of its scheme.
// The forms of the schemes, with their sources, are in trigger_kinds.ts.
import type { WebhookTrigger } from "../../agents/agent.ts";
import { MINUTE_MS, SECOND_MS } from "../../../base/time_units.ts";
import { isJsonObject } from "../../../base/json.ts";
import { valueAt } from "../../../base/json_pointer.ts";
import { SCHEME_FORMS } from "../../trigger_kinds.ts";
import { type Delivery, parseUnproven } from "./delivery.ts";

/** So far from now the time that a delivery names may be, before or after. */
export const FRESHNESS_MS = 5 * MINUTE_MS;
/** While secrets are changed there are two signatures; each more would cost a sender nothing and us time. */
const MAX_SIGNATURES = 10;
/** The most notifications in one delivery of Microsoft Graph. */
const MAX_NOTIFICATIONS = 1_000;

type Scheme = Pick<WebhookTrigger, "scheme" | "header" | "encoding" | "in">;

/** What a delivery brings along to be checked. */
interface Evidence {
  signatures: Bytes[];
  /** The texts of which one is signed, in parts. */
  signed: (string | Bytes)[][];
  /** When it was made, in seconds since the epoch, as the delivery writes it; absent: the scheme does not say. */
  time?: string;
}

type Encoding = Scheme["encoding"] | "base64url";
type Bytes = Uint8Array<ArrayBuffer>;

/** The key that a secret stands for; undefined where it is none of this scheme. */
export function keyOf(secret: string, { scheme }: Pick<Scheme, "scheme">): Bytes | undefined {
  if (scheme !== "standard-webhooks") return encode(secret);
  const key = decode(secret.replace(/^whsec_/, ""), "base64");
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
      const until = valueAt(parseUnproven(decode(claims, "base64url") ?? body), "/exp");
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
      const sentAt = bodyTime && valueAt(parseUnproven(body), bodyTime);
      return {
        signatures,
        signed: hash === undefined ? [[body]] : addresses.map((address) => [body, address]),
        ...(typeof sentAt === "number" && { time: String(Math.floor(sentAt / SECOND_MS)) }),
      };
    }
  }
}

/** The digest that a text writes, as a list of one; empty where it writes none. */
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

/** The token, where the trigger says that it is; of Basic, the password. */
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

/** The parameters of the address. */
export function queryOf(
  { addresses: [address = ""] = [] }: Pick<Delivery, "addresses">,
): URLSearchParams {
  return URL.parse(address)?.searchParams ?? new URLSearchParams();
}

/** Microsoft Graph signs nothing: each notification repeats a secret that the subscription was made with. */
async function hasClientStates({ body }: Delivery, keys: readonly Bytes[]): Promise<boolean> {
  const items = valueAt(parseUnproven(body), "/value");
  if (!Array.isArray(items) || items.length === 0 || items.length > MAX_NOTIFICATIONS) return false;
  const known = await Promise.all(items.map((item) => {
    const state = isJsonObject(item) ? item["clientState"] : undefined;
    return isSecret(typeof state === "string" ? state : undefined, keys);
  }));
  return known.every(Boolean);
}

/** Digests are compared, which are equally long: the time tells nothing, not even how long the secret is. */
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

/** Looks at every byte, wherever the first difference is. */
function isEqual(one: Bytes, other: Bytes): boolean {
  let difference = one.length ^ other.length;
  for (let i = 0; i < other.length; i++) difference |= (one[i] ?? 0) ^ (other[i] ?? 0);
  return difference === 0;
}

/** The HMAC of a text that comes in parts. */
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
