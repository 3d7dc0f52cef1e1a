// A webhook delivery as received, its parsed form with event, id and JSON value, and the filter that it may pass.
import { isDeeperThan, isJsonObject, type JsonValue } from "../../../base/json.ts";
import { valueAt } from "../../../base/text/json_pointer.ts";
import { SCHEME_FORMS, type WebhookScheme } from "../../vocabulary/trigger_kinds.ts";
import type { Trigger } from "../../agents/agent.ts";
import { compileGlob } from "../../../base/files/glob.ts";

/** A delivery as received. No part of it is verified. */
export interface Delivery {
  headers: Headers;
  body: Uint8Array<ArrayBuffer>;
  /** The HTTP method; POST if absent. */
  method?: string;
  /** The URLs that the sender may have used for this request. The query may contain a token. */
  addresses?: readonly string[];
}

/** A verified and parsed delivery. */
export interface ReadDelivery {
  /** The body, or the JSON text in the form field `payload`. */
  text: string;
  value: JsonValue;
  /** The sender's name of the event, such as `push`; null if there is none. */
  event: string | null;
  /** The sender's id of the delivery; null if there is none. */
  id: string | null;
  /** True if the signature covers the id. Otherwise a copied delivery can be sent again under another id. */
  isIdSigned: boolean;
}

/** The HTTP status and the reason for a delivery that cannot be parsed. */
export interface UnreadableDelivery {
  status: 400 | 413 | 415;
  reason: string;
}

/** The maximum length of an id or event name. A longer one is ignored. */
const MAX_NAME_CHARACTERS = 200;
/** The maximum nesting depth of the JSON. No known sender exceeds it. */
const MAX_DEPTH = 100;
/** The maximum length of a value that is matched with a pattern. A longer value must be equal to the filter. */
const MAX_MATCHED_CHARACTERS = 1_000;

/** Parses a delivery. Call it after the signature was verified and the body decompressed. */
export function readDelivery(
  { headers, body }: Delivery,
  scheme: WebhookScheme,
): ReadDelivery | UnreadableDelivery {
  const content = readContent(headers, body, scheme);
  if ("status" in content) return content;
  const { value } = content;
  const { event: events, id = "", isIdSigned = id.startsWith("/") } = SCHEME_FORMS[scheme];
  const nameAt = (place: string) =>
    toName(place.startsWith("/") ? valueAt(value, place) : headers.get(place));
  const event = events.values().map(nameAt).find((name) => name !== null) ?? null;
  return { ...content, event, id: id === "" ? null : nameAt(id), isIdSigned };
}

function readContent(
  headers: Headers,
  body: Uint8Array,
  scheme: WebhookScheme,
): Content | UnreadableDelivery {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    return { status: 400, reason: "The body is not UTF-8" };
  }
  // An empty body is valid, because some senders send it.
  if (text === "") return { text, value: null };
  const mediaType = (headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  const { bodyFormat } = SCHEME_FORMS[scheme];
  if (bodyFormat === "form" && mediaType === "application/x-www-form-urlencoded") {
    const form = new URLSearchParams(text);
    const payload = form.get("payload");
    return payload === null
      ? { text, value: Object.fromEntries(form) as JsonValue }
      : parseJson(payload);
  }
  if (bodyFormat === "text" && mediaType === "text/plain") {
    return parseJson(text, { otherwise: { text, value: text } });
  }
  if (!/^application\/(json|[\w.!#$&^+-]+\+json)$/.test(mediaType)) {
    return { status: 415, reason: "Content-Type must be application/json" };
  }
  return parseJson(text);
}

/** Parses the JSON of an unverified body. Returns undefined if it is invalid. */
export function parseUnverified(body: Uint8Array): JsonValue | undefined {
  const content = parseJson(new TextDecoder().decode(body));
  return "status" in content ? undefined : content.value;
}

type Content = { text: string; value: JsonValue };

/** Parses JSON. For a text that is not JSON, returns `otherwise` if it is given, and an error if not. */
function parseJson(
  text: string,
  { otherwise }: { otherwise?: Content } = {},
): Content | UnreadableDelivery {
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return otherwise ?? { status: 400, reason: "The body is not valid JSON" };
  }
  // Serializing a value recurses once per level, so a deep value would overflow the stack.
  if (isDeeperThan(value, MAX_DEPTH)) {
    return { status: 400, reason: `The body is more than ${MAX_DEPTH} levels deep` };
  }
  return { text, value };
}

function toName(value: JsonValue | undefined): string | null {
  const isName = typeof value === "string" && value !== "" && value.length <= MAX_NAME_CHARACTERS;
  return isName ? value : null;
}

/** Returns the answer to a signed handshake, or undefined if the delivery is no handshake. */
export function answerHandshake(
  { event, value }: ReadDelivery,
  scheme: WebhookScheme,
): Record<string, string> | undefined {
  if (scheme === "github" && event === "ping") return { message: "pong" };
  if (scheme !== "slack" || !isJsonObject(value) || value["type"] !== "url_verification") {
    return undefined;
  }
  const { challenge } = value;
  return typeof challenge === "string" ? { challenge } : undefined;
}

/** Returns the reason why a delivery is filtered out, for its sender and the log; undefined if it passes the filter. */
export function findFilterReason(
  { event, value }: Pick<ReadDelivery, "event" | "value">,
  { events, fields }: Trigger<"webhook">["filter"],
): string | undefined {
  if (events.length > 0 && !events.some((wanted) => isMatch(event ?? "", wanted))) {
    return "the event is none of those in trigger.filter.events";
  }
  const other = Object.entries(fields).find(([pointer, wanted]) =>
    !isMatch(valueAt(value, pointer), wanted)
  );
  return other === undefined ? undefined : `${other[0]} is not what trigger.filter.fields wants`;
}

function isMatch(value: JsonValue | undefined, wanted: JsonValue): boolean {
  if (value === wanted) return true;
  if (typeof value !== "string" || typeof wanted !== "string") return false;
  if (value.length > MAX_MATCHED_CHARACTERS) return false;
  const matches = compileGlob(wanted, { dot: true });
  return typeof matches === "function" && matches(value);
}
