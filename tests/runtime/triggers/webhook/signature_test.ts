import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import type { Trigger } from "../../../../runtime/agents/agent.ts";
import { isGenuine, keyOf } from "../../../../runtime/triggers/webhook/signature.ts";

interface Vector {
  scheme: Trigger<"webhook">["scheme"];
  header?: string;
  encoding?: Trigger<"webhook">["encoding"];
  secret: string;
  headers: Record<string, string>;
  body: string;
  /** The time of the delivery, in seconds since the epoch. */
  at: number;
}

// The vectors GITHUB, SLACK and STANDARD are examples from the documentation of these senders.
const GITHUB: Vector = {
  scheme: "github",
  secret: "It's a Secret to Everybody",
  body: "Hello, World!",
  headers: {
    "X-Hub-Signature-256":
      "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
  },
  at: 0,
};

const SLACK: Vector = {
  scheme: "slack",
  secret: "8f742231b10e8888abcd99yyyzzz85a5",
  body: "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&" +
    "channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&" +
    "command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2F" +
    "T1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&" +
    "trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c",
  headers: {
    "X-Slack-Request-Timestamp": "1531420618",
    "X-Slack-Signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
  },
  at: 1_531_420_618,
};

const STANDARD: Vector = {
  scheme: "standard-webhooks",
  secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  body: '{"test": 2432232314}',
  headers: {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  },
  at: 1_614_265_330,
};

/** A computed vector, because Stripe documents only the algorithm: the SHA-256 HMAC of `t`, a dot and the body. */
const STRIPE: Vector = {
  scheme: "stripe",
  secret: "whsec_test",
  body: '{"id":"evt_1","type":"invoice.paid"}',
  headers: {
    "Stripe-Signature": `t=1614265330,v1=${
      digest("whsec_test", '1614265330.{"id":"evt_1","type":"invoice.paid"}', "hex")
    },v0=6ffbb59b2300aae63f272406069a9788598b792a944a07aba816edb039989a39`,
  },
  at: 1_614_265_330,
};

function simple(scheme: Vector["scheme"], secret: string, header: string, value: string): Vector {
  return { scheme, secret, body: "{}", headers: { [header]: value }, at: 0 };
}

const HEX = simple("hmac", "s3cret", "X-Signature", digest("s3cret", "{}", "hex"));
const BASE64: Vector = {
  ...simple("hmac", "s3cret", "X-Shop-Hmac", digest("s3cret", "{}", "base64")),
  header: "X-Shop-Hmac",
  encoding: "base64",
};
const BEARER = simple("token", "t0ken", "Authorization", "Bearer t0ken");
const OWN_HEADER: Vector = {
  ...simple("token", "t0ken", "X-Gitlab-Token", "t0ken"),
  header: "X-Gitlab-Token",
};

const VECTORS = { GITHUB, SLACK, STANDARD, STRIPE, HEX, BASE64, BEARER, OWN_HEADER };
const TIMED = [SLACK, STANDARD, STRIPE];

function digest(key: string, text: string, encoding: "hex" | "base64"): string {
  return createHmac("sha256", key).update(text).digest(encoding);
}

async function check(vector: Vector, secrets = [vector.secret]): Promise<boolean> {
  const { scheme, header, encoding = "hex", headers, body, at } = vector;
  const trigger = { scheme, encoding, ...(header !== undefined && { header }) };
  const delivery = { headers: new Headers(headers), body: new TextEncoder().encode(body) };
  const keys = secrets.flatMap((secret) => keyOf(secret, trigger) ?? []);
  return await isGenuine(delivery, { trigger, keys, now: at * 1_000 });
}

/** Returns a copy of the vector with changed headers. */
function withHeaders(vector: Vector, changes: Record<string, string>): Vector {
  return { ...vector, headers: { ...vector.headers, ...changes } };
}

for (const [name, vector] of Object.entries(VECTORS)) {
  Deno.test(`isGenuine() accepts ${name} with its secret, and only with all its headers`, async () => {
    const another = vector.scheme === "standard-webhooks" ? "whsec_AAAA" : "another";
    assert.equal(await check(vector), true);
    assert.equal(await check(vector, [another, vector.secret]), true);
    assert.equal(await check(vector, ["another"]), false);
    assert.equal(await check(vector, []), false);
    for (const header of Object.keys(vector.headers)) {
      const { [header]: _, ...headers } = vector.headers;
      assert.equal(await check({ ...vector, headers }), false, header);
      assert.equal(await check(withHeaders(vector, { [header]: "" })), false);
    }
  });
}

Deno.test("isGenuine() accepts only a time within five minutes of now", async () => {
  for (const vector of TIMED) {
    for (const [seconds, expected] of [[300, true], [-300, true], [301, false], [-301, false]]) {
      const at = vector.at + Number(seconds);
      assert.equal(await check({ ...vector, at }), expected, `${vector.scheme} ${seconds}`);
    }
  }
});

Deno.test("isGenuine() refuses a fresh time that was not signed", async () => {
  const later = 10_000;
  const forged = [
    withHeaders(SLACK, { "X-Slack-Request-Timestamp": `${SLACK.at + later}` }),
    withHeaders(STANDARD, { "webhook-timestamp": `${STANDARD.at + later}` }),
    withHeaders(STRIPE, {
      "Stripe-Signature": (STRIPE.headers["Stripe-Signature"] ?? "")
        .replace(`t=${STRIPE.at}`, `t=${STRIPE.at + later}`),
    }),
  ];
  for (const vector of forged) {
    assert.equal(await check({ ...vector, at: vector.at + later }), false, vector.scheme);
  }
});

Deno.test("isGenuine() refuses an invalid time with a valid signature", async () => {
  for (const time of ["", "NaN", "1e99", "-1", "1614265330.5", "0x60379f32"]) {
    const text = `${STANDARD.headers["webhook-id"]}.${time}.${STANDARD.body}`;
    const key = Uint8Array.fromBase64("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    const signature = createHmac("sha256", key).update(text).digest("base64");
    const changes = { "webhook-timestamp": time, "webhook-signature": `v1,${signature}` };
    assert.equal(await check(withHeaders(STANDARD, changes)), false, time);
  }
});

Deno.test("isGenuine() finds a valid signature among several, and checks at most ten", async () => {
  const right = STANDARD.headers["webhook-signature"] ?? "";
  const wrong = `v1,${"A".repeat(43)}=`;
  const withList = (list: string[]) =>
    withHeaders(STANDARD, { "webhook-signature": list.join(" ") });
  assert.equal(await check(withList([wrong, "v1a,other", right])), true);
  assert.equal(await check(withList([...Array(10).fill(wrong), right])), false);
});

Deno.test("isGenuine() accepts only the exact token, and only in the scheme token", async () => {
  const cases = ["t0ken", "Basic t0ken", "Bearer t0ke", "Bearer t0kens", "Bearer ", "Bearer"];
  for (const text of cases) {
    assert.equal(await check({ ...BEARER, headers: { Authorization: text } }), false, text);
  }
  assert.equal(await check({ ...BEARER, headers: { Authorization: "bearer t0ken" } }), true);
});

Deno.test("keyOf() returns undefined for an invalid base64 secret", () => {
  const scheme = "standard-webhooks";
  assert.equal(keyOf("whsec_not base64!", { scheme }), undefined);
  assert.equal(keyOf("whsec_", { scheme }), undefined);
  assert.equal(keyOf("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", { scheme })?.length, 24);
});
