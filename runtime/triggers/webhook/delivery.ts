// A delivery as it came over the wire, and what it is once it is read: its event, its id, its value.
import { isDeeperThan, isJsonObject, type JsonValue } from "../../../base/json.ts";
import { valueAt } from "../../../base/json_pointer.ts";
import { SCHEME_FORMS, type WebhookScheme } from "../../trigger_kinds.ts";

/** What a sender sent: nothing of it is known to be true. */
export interface Delivery {
  headers: Headers;
  body: Uint8Array<ArrayBuffer>;
  /** Absent: POST. */
  method?: string;
  /** The addresses that the sender may have been given: one and the same place. The query may hold a token. */
  addresses?: readonly string[];
}

/** A delivery that is what its scheme sends. */
export interface ReadDelivery {
  /** The body; of a form that carries JSON in `payload`, that JSON. */
  text: string;
  value: JsonValue;
  /** What happened, as the sender calls it. */
  event: string | null;
  /** The sender's id of it; null where it gives none. */
  id: string | null;
  /** Whether the signature covers the id, so that nobody else can give the same delivery another one. */
  isIdSigned: boolean;
}

/** Why a delivery cannot be read. */
export interface UnreadableDelivery {
  status: 400 | 413 | 415;
  reason: string;
}

/** So long an id or the name of an event may be: more is none. */
const MAX_NAME_CHARACTERS = 200;
/** No event of any service is that deep. */
const MAX_DEPTH = 100;

/** Reads a delivery whose signature is right, and whose body is decompressed. */
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
  // Some senders only knock.
  if (text === "") return { text, value: null };
  const mediaType = (headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  const { takes } = SCHEME_FORMS[scheme];
  if (takes === "form" && mediaType === "application/x-www-form-urlencoded") {
    const form = new URLSearchParams(text);
    const payload = form.get("payload");
    return payload === null
      ? { text, value: Object.fromEntries(form) as JsonValue }
      : parseJson(payload);
  }
  if (takes === "text" && mediaType === "text/plain") {
    return parseJson(text, { otherwise: { text, value: text } });
  }
  if (!/^application\/(json|[\w.!#$&^+-]+\+json)$/.test(mediaType)) {
    return { status: 415, reason: "Content-Type must be application/json" };
  }
  return parseJson(text);
}

/** The JSON of a body that nothing is known of yet; undefined where it is none. */
export function parseUnproven(body: Uint8Array): JsonValue | undefined {
  const content = parseJson(new TextDecoder().decode(body));
  return "status" in content ? undefined : content.value;
}

type Content = { text: string; value: JsonValue };

/** `otherwise`: what a text is that is no JSON; absent: unreadable. */
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
  // Whoever writes a part of it as text again goes as deep as it does.
  if (isDeeperThan(value, MAX_DEPTH)) {
    return { status: 400, reason: `The body is more than ${MAX_DEPTH} levels deep` };
  }
  return { text, value };
}

function toName(value: JsonValue | undefined): string | null {
  const isName = typeof value === "string" && value !== "" && value.length <= MAX_NAME_CHARACTERS;
  return isName ? value : null;
}

/** The answer to a signed delivery that only tries the address; undefined for any other. */
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
