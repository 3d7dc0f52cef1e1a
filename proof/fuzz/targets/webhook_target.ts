// Fuzzes what strangers send: deliveries to an agent's webhook, with and without the secret, and mails.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import fc from "fast-check";
import type { JsonValue } from "../../../base/json.ts";
import { valueAt } from "../../../base/text/json_pointer.ts";
import {
  SCHEME_FORMS,
  WEBHOOK_HANDSHAKES,
  WEBHOOK_SCHEMES,
  type WebhookScheme,
} from "../../../runtime/vocabulary/trigger_kinds.ts";
import {
  answerHandshake,
  findFilterReason,
  readDelivery,
} from "../../../runtime/triggers/webhook/delivery.ts";
import { answerUnsignedHandshake } from "../../../runtime/triggers/webhook/handshake.ts";
import { isGenuine, keyOf } from "../../../runtime/triggers/webhook/signature.ts";
import { readMail } from "../../../runtime/mail/read_mail.ts";
import { isProven } from "../../../runtime/mail/sender_proof.ts";
import { toMarkdown } from "../../../runtime/tools/pages/readable_text.ts";
import { safeNames } from "../../../runtime/tools/mail/mail_files.ts";
import { defineTarget } from "../target.ts";
import { anyText } from "../../../tests/support/any_text.ts";

const NOW = 1_767_225_600;
const KEY = "a secret that nobody guesses";
const SECRET = Object.fromEntries(WEBHOOK_SCHEMES.map((scheme) => [
  scheme,
  scheme === "standard-webhooks" ? `whsec_${new TextEncoder().encode(KEY).toBase64()}` : KEY,
])) as Record<WebhookScheme, string>;

const HEADERS = [
  ...["x-hub-signature-256", "x-github-event", "x-github-delivery", "stripe-signature"],
  ...["x-slack-signature", "x-slack-request-timestamp", "webhook-id", "webhook-timestamp"],
  ...Object.values(SCHEME_FORMS).flatMap(({ header }) => header ?? []),
  ...["webhook-signature", "x-signature", "authorization", "idempotency-key", "content-type"],
];

const printable = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: 30,
});
const digests = fc.uint8Array({ minLength: 31, maxLength: 33 }).map((bytes) =>
  Uint8Array.from(bytes)
);
const headerText = fc.oneof(
  printable,
  digests.map((bytes) => `sha256=${bytes.toHex()}`),
  digests.map((bytes) => `v0=${bytes.toHex()}`),
  digests.map((bytes) => `t=${NOW},v1=${bytes.toHex()}`),
  digests.map((bytes) => `v1,${bytes.toBase64()} v1,`),
  fc.constantFrom(`${NOW}`, "t=,v1=", "Bearer", "Bearer ", "application/json", "NaN", ",", " "),
  fc.constant("application/x-www-form-urlencoded"),
);
const bodies = fc.oneof(
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc.record({ type: fc.jsonValue(), id: fc.jsonValue(), challenge: fc.jsonValue() }, {
    requiredKeys: [],
  }).map((value) => JSON.stringify(value)),
  fc.constantFrom('{"value":[{"clientState":"x"}]}', '{"challenge":"c"}', '{"value":[null,3]}'),
  fc.constantFrom('{"type":"url_verification"}', "payload=%7B%7D", "payload=[", "[", "\ufeff{}"),
  anyText({ maxLength: 40 }),
).map((text) => new TextEncoder().encode(text));

interface SentDelivery {
  scheme: WebhookScheme;
  headers: Record<string, string>;
  body: Uint8Array<ArrayBuffer>;
}

const deliveries = fc.record({
  scheme: fc.constantFrom(...WEBHOOK_SCHEMES),
  headers: fc.dictionary(fc.constantFrom(...HEADERS), headerText, { maxKeys: 8 }),
  body: fc.oneof(bodies, fc.uint8Array({ maxLength: 20 })).map((bytes) => Uint8Array.from(bytes)),
});

/** The address of the webhook, which is part of the text that Trello signs. */
const ADDRESS = "https://inkling.example/hooks/board?x=1";

/**
 * Returns the headers that a sender with the secret adds to a delivery of this scheme; undefined if the proof is in the
 * body.
 */
function sign({ scheme, body }: SentDelivery): Record<string, string> | undefined {
  const digest = (prefix: string, encoding: "hex" | "base64" = "hex") =>
    createHmac("sha256", KEY).update(prefix).update(body).digest(encoding);
  switch (scheme) {
    case "github":
    case "meta":
      return { "x-hub-signature-256": `sha256=${digest("")}` };
    case "microsoft-graph":
      return undefined;
    case "dropbox":
    case "nylas":
    case "linear":
      return { [SCHEME_FORMS[scheme].header ?? ""]: digest("") };
    case "shopify":
      return { "x-shopify-hmac-sha256": digest("", "base64") };
    case "trello": {
      const whole = createHmac("sha1", KEY).update(body).update(ADDRESS);
      return { "x-trello-webhook": whole.digest("base64") };
    }
    case "zoom": {
      const signature = `v0=${digest(`v0:${NOW}:`)}`;
      return { "x-zm-request-timestamp": `${NOW}`, "x-zm-signature": signature };
    }
    case "monday": {
      const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
      const signed = `${part({ alg: "HS256" })}.${part({ exp: NOW + 300 })}`;
      const signature = createHmac("sha256", KEY).update(signed).digest("base64url");
      return { authorization: `${signed}.${signature}` };
    }
    case "stripe":
      return { "stripe-signature": `t=${NOW},v1=${digest(`${NOW}.`)}` };
    case "slack": {
      const signature = `v0=${digest(`v0:${NOW}:`)}`;
      return { "x-slack-request-timestamp": `${NOW}`, "x-slack-signature": signature };
    }
    case "standard-webhooks": {
      const signature = `v1,${digest(`msg_1.${NOW}.`, "base64")}`;
      const named = { "webhook-id": "msg_1", "webhook-timestamp": `${NOW}` };
      return { ...named, "webhook-signature": signature };
    }
    case "hmac":
      return { "x-signature": digest("") };
    case "token":
      return { authorization: `Bearer ${KEY}` };
    default:
      return scheme satisfies never;
  }
}

export const webhookDeliveries = defineTarget<SentDelivery>({
  name: "webhook-deliveries",
  claim: "a delivery passes only with the secret; it is then parsed, or refused with a reason",
  cases: () => deliveries,
  async check(sent) {
    const { scheme, body } = sent;
    const trigger = { scheme, encoding: "hex" as const };
    const keys = [keyOf(SECRET[scheme], trigger) ?? assert.fail("it is a key")];
    const options = { trigger, keys, now: NOW * 1_000 };
    const addresses = [ADDRESS];
    const forged = { headers: new Headers(sent.headers), body, addresses };
    assert.equal(await isGenuine(forged, options), false);
    for (const handshake of WEBHOOK_HANDSHAKES) {
      const answer = await answerUnsignedHandshake(forged, { handshake, keys, verifyKeys: [] });
      assert.ok(JSON.stringify(answer ?? "").length < 2_100 && !String(answer).includes(KEY));
    }
    const proof = sign(sent);
    if (proof === undefined) return;
    const delivery = { headers: new Headers({ ...sent.headers, ...proof }), body, addresses };
    assert.equal(await isGenuine(delivery, options), true);
    const read = readDelivery(delivery, scheme);
    if ("status" in read) {
      assert.ok([400, 415].includes(read.status) && read.reason !== "");
      return;
    }
    assert.ok((read.event?.length ?? 0) <= 200 && (read.id?.length ?? 0) <= 200);
    for (const answer of Object.values(answerHandshake(read, scheme) ?? {})) {
      assert.equal(typeof answer, "string");
    }
    assert.equal(findFilterReason(read, { events: [], fields: {} }), undefined);
    assert.notEqual(
      findFilterReason(read, { events: [], fields: { "/not/there": "x*" } }),
      undefined,
    );
  },
});

export const jsonPointers = defineTarget<{ value: unknown; text: string }>({
  name: "json-pointers",
  claim: "every value in a document is found by its pointer, and any text finds one or nothing",
  cases: () => fc.record({ value: fc.jsonValue(), text: fc.string({ maxLength: 12 }) }),
  check({ value, text }) {
    const document = value as JsonValue;
    valueAt(document, text);
    const walk = (one: JsonValue, keys: string[]): void => {
      assert.deepEqual(valueAt(document, toPointer(keys)), one);
      if (typeof one !== "object" || one === null) return;
      for (const [key, inner] of Object.entries(one)) walk(inner as JsonValue, [...keys, key]);
    };
    walk(document, []);
  },
});

const MAIL_LINES = [
  ...[
    "From: Bob <bob@example.org>",
    "From: a@b.example, c@d.example",
    "From:",
    "Subject: =?utf-8?Q?=1B?=",
  ],
  ...[
    "Content-Type: multipart/mixed; boundary=b",
    "Content-Type: text/html; charset=utf-16",
    "--b",
    "--b--",
  ],
  ...[
    "Content-Type: message/rfc822",
    "Content-Transfer-Encoding: base64",
    "Message-ID: <<a@b>>",
    "",
  ],
  ...[
    "Authentication-Results: mx.example.com; dmarc=pass header.from=evil.example",
    " folded; (",
    '"',
  ],
  ...[
    "Content-Disposition: attachment; filename*=utf-8''%2e%2e%2fa",
    "<table><td><p",
    "> On a wrote:",
  ],
];
const mailLines = fc.oneof(fc.constantFrom(...MAIL_LINES), anyText({ maxLength: 40 }));

/** A mail from a stranger, who cannot make the account's server confirm another sender. */
export const mails = defineTarget({
  name: "mails",
  claim: "any mail is read, its files get plain names, and no stranger becomes a proven sender",
  cases: () => fc.array(mailLines, { maxLength: 30 }),
  async check(lines) {
    const own = "Authentication-Results: mx.example.com; dmarc=pass header.from=evil.example\r\n";
    const source = new TextEncoder().encode(own + lines.join("\r\n"));
    const mail = await readMail(source, { toMarkdown });
    if (isProven(mail, "mx.example.com")) assert.match(mail.sender ?? "", /@evil\.example$/);
    for (const name of safeNames(mail.files.map(({ name }) => name))) {
      assert.match(name, /^[^/\\\p{C}.-][^/\\\p{C}]*$/u);
    }
    assert.ok(!/[\r\n]/.test(mail.subject + mail.from + mail.to));
  },
});

/** Returns the pointer that consists of these keys. */
function toPointer(keys: readonly (string | number)[]): string {
  return keys.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
