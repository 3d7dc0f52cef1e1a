// Tests of senders with their own signature schemes and a real service: deliveries and address checks as the providers
// document them.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import { serve } from "../../../server/mod.ts";
import { openHookWorld, SECRET } from "../../runtime/triggers/webhook/hook_world.ts";
import { toEnd, turnOf } from "../../support/test_workspace.ts";

const VERIFY = "a verify token";
const AGENTS: Record<string, string> = {
  ...Object.fromEntries(
    ["microsoft-graph", "dropbox", "nylas", "monday", "zoom", "trello", "shopify", "linear"]
      .map((scheme) => [scheme, `scheme: ${scheme}, secret: HOOK`]),
  ),
  meta: "scheme: meta, secret: HOOK, verify_token: VERIFY",
  github: "scheme: github, secret: HOOK",
  basic: "scheme: token, secret: HOOK, in: basic",
  query: "scheme: token, secret: HOOK, in: query, handshake: monday",
  unset: "scheme: dropbox, secret: NOT_SET",
};

async function open() {
  const world = await openHookWorld(AGENTS, { shell: { VERIFY } });
  const service = await serve(world.runtime, { tcp: { port: 0, apiKey: "key" } });
  return {
    ...world,
    async ask(method: string, path: string, init: RequestInit = {}) {
      const url = `http://127.0.0.1:${service.ports[0]}/hooks/${path}`;
      const answer = await fetch(url, { method, ...init });
      const { status, headers } = answer;
      return { status, headers, text: await answer.text() };
    },
    port: service.ports[0],
    async [Symbol.asyncDispose]() {
      await service.shutdown("signal");
      await world[Symbol.asyncDispose]();
    },
  };
}

function hmac(text: string, encoding: "hex" | "base64" | "base64url" = "hex", hash = "sha256") {
  return createHmac(hash, SECRET).update(text).digest(encoding);
}

function jwt(claims: unknown): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${part({ alg: "HS256", typ: "JWT" })}.${part(claims)}`;
  return `${signed}.${hmac(signed, "base64url")}`;
}

Deno.test("GET, HEAD and POST /hooks answer a sender's address check", async () => {
  await using on = await open();
  const long = "x".repeat(1_001);
  const json = (value: unknown) => JSON.stringify(value);
  const zoom = {
    event: "endpoint.url_validation",
    payload: { plainToken: "qgg8vlvZRS6UYooatFL8Aw" },
  };
  const meta = (token: string, mode = "subscribe") =>
    `meta?hub.mode=${mode}&hub.verify_token=${encodeURIComponent(token)}&hub.challenge=11`;
  const signable = { event: zoom.event, payload: { plainToken: "v0:1767225600:{}" } };
  const table: [method: string, path: string, body: string | null, answer: string | number][] = [
    ["POST", "microsoft-graph?validationToken=Validation%3A+a%3Cb%3E", null, "Validation: a<b>"],
    ["POST", "microsoft-graph/?validationToken=abc", "", "abc"],
    ["GET", "microsoft-graph?validationToken=abc", null, 401],
    ["POST", `microsoft-graph?validationToken=${long}`, null, 401],
    ["GET", meta(VERIFY), null, "11"],
    ["GET", meta("another"), null, 401],
    ["GET", meta(SECRET), null, 401],
    ["GET", meta(VERIFY, "unsubscribe"), null, 401],
    ["GET", "dropbox?challenge=abc", null, "abc"],
    ["HEAD", "dropbox?challenge=abc", null, ""],
    ["GET", "nylas?challenge=abc", null, "abc"],
    ["GET", `nylas?challenge=${long}`, null, 401],
    ["GET", "nylas", null, 401],
    ["POST", "monday", '{"challenge":"c"}', '{"challenge":"c"}'],
    ["POST", "query", '{"challenge":"c"}', '{"challenge":"c"}'],
    ["POST", "monday", '{"challenge":1}', 401],
    ["POST", "monday", json({ challenge: long }), 401],
    [
      "POST",
      "zoom",
      json(zoom),
      json({ ...zoom.payload, encryptedToken: hmac(zoom.payload.plainToken) }),
    ],
    ["POST", "zoom", json(signable), 401],
    ["HEAD", "trello", null, ""],
    ["GET", "unset?challenge=abc", null, 503],
    ["GET", "github?challenge=abc", null, 401],
    ["HEAD", "github", null, 401],
    ["POST", "github", '{"challenge":"c"}', 401],
  ];
  for (const [method, path, body, expected] of table) {
    const { status, text, headers } = await on.ask(method, path, { body });
    const named = `${method} ${path.slice(0, 60)} ${text}`;
    if (typeof expected === "number") {
      assert.equal(status, expected, named);
      continue;
    }
    assert.deepEqual([status, text], [200, expected], named);
    if (body !== null && body !== "") continue;
    assert.match(headers.get("content-type") ?? "", /^text\/plain/, named);
    assert.equal(headers.get("x-content-type-options"), "nosniff");
  }
  const key = { "x-api-key": "key" };
  assert.equal((await on.ask("GET", "github", { headers: key })).status, 405);
  assert.equal(await on.count(), 0);
});

Deno.test("POST /hooks accepts each sender's deliveries once", async () => {
  await using on = await open();
  const at = Math.floor(on.clock.now() / 1_000);
  const graph = { changeType: "updated", clientState: SECRET, resource: "me/messages/1" };
  const graphs = (...states: string[]) =>
    JSON.stringify({ value: states.map((clientState) => ({ ...graph, clientState })) });
  const hub = '{"object":"page","entry":[{"changes":[{"field":"feed"}]}]}';
  const mail = '{"id":"1","type":"message.created"}';
  const board = '{"action":{"id":"a1","type":"updateCard"},"model":{"id":"m"}}';
  const boardOf = {
    "x-trello-webhook": hmac(
      `${board}http://127.0.0.1:${on.port}/hooks/trello?list=1`,
      "base64",
      "sha1",
    ),
  };
  const issue = (time: number) => `{"type":"Issue","webhookTimestamp":${time * 1_000}}`;
  const ofLinear = (time: number) => ({ "linear-signature": hmac(issue(time)) });
  const item = '{"event":{"type":"create_item","triggerUuid":"u1"}}';
  const meeting = '{"event":"meeting.started","payload":{"object":{}}}';
  const ofZoom = (time: number) => ({
    "x-zm-request-timestamp": `${time}`,
    "x-zm-signature": `v0=${hmac(`v0:${time}:${meeting}`)}`,
  });
  const shop = { "x-shopify-topic": "orders/create", "x-shopify-webhook-id": "w1" };
  const basic = (pair: string) => ({
    authorization: `Basic ${Buffer.from(pair).toString("base64")}`,
  });
  const token = encodeURIComponent(SECRET);
  // Each row: the path, the body, the headers, and the event of an accepted delivery. Without an event, the delivery is
  // refused.
  const table: [path: string, body: string, headers: object, event?: string | null, ok?: number][] =
    [
      ["microsoft-graph", graphs(SECRET), {}, "updated"],
      ["microsoft-graph", graphs(SECRET, "x"), {}],
      ["microsoft-graph", graphs(), {}],
      ["meta", hub, { "x-hub-signature-256": `sha256=${hmac(hub)}` }, "feed"],
      ["dropbox", "{}", { "x-dropbox-signature": hmac("{}") }, null],
      ["nylas", mail, { "x-nylas-signature": hmac(mail) }, "message.created"],
      ["monday", item, { authorization: jwt({ exp: at + 300 }) }, "create_item"],
      ["monday", item, { authorization: jwt({ exp: at - 1 }) }],
      ["monday", item, { authorization: jwt({}) }],
      ["zoom", meeting, ofZoom(at), "meeting.started"],
      ["zoom", meeting, ofZoom(at - 301)],
      ["trello?list=1", board, boardOf, "updateCard"],
      ["trello?list=2", board, boardOf],
      [
        "shopify",
        "{}",
        { ...shop, "x-shopify-hmac-sha256": hmac("{}", "base64") },
        "orders/create",
        202,
      ],
      ["linear", issue(at), { ...ofLinear(at), "linear-event": "Issue" }, "Issue"],
      ["linear", issue(at - 301), ofLinear(at - 301)],
      ["basic", "{}", basic(`anyone:${SECRET}`), null, 202],
      ["basic", "{}", basic(`${SECRET}:`)],
      [`query?token=${token}`, "{}", {}, null],
      ["query?token=another", "{}", {}],
      ["query", "{}", { authorization: `Bearer ${SECRET}` }],
    ];
  for (const [path, body, headers, event, ok = 200] of table) {
    const send = (more: object) =>
      on.ask("POST", path, { body, headers: { "content-type": "application/json", ...more } });
    const name = `${path} ${body}`;
    if (event === undefined) {
      assert.equal((await send(headers)).status, 401, name);
      continue;
    }
    const answer = await send(headers);
    assert.equal(answer.status, ok, `${name} ${answer.text}`);
    const id: number = JSON.parse(answer.text).execution_id;
    assert.deepEqual(
      JSON.parse((await send(headers)).text),
      { execution_id: id, duplicate: true },
      name,
    );
    const forged = Object.keys(headers).length > 0
      ? await send(Object.fromEntries(Object.keys(headers).map((key) => [key, "x"])))
      : undefined;
    assert.ok(forged === undefined || forged.status === 401, name);
    await toEnd(on.runtime, id);
    const turn = await turnOf(on.runtime, id);
    assert.ok(event === null || turn.includes(`the event "${event}"`), turn);
    assert.ok(!turn.includes(SECRET), "the secret is no part of the prompt");
  }
  const setupOf = async (agent: string) => {
    const plan = await on.runtime.planRun(agent, { withMessages: false });
    return plan.setup?.join("\n") ?? "";
  };
  const begin = "Address for the sender: https://<public_url>/hooks/";
  assert.match(
    await setupOf("meta"),
    /the value of HOOK\)\nVerify token: the value of VERIFY\n.*hub\./,
  );
  assert.ok((await setupOf("query")).startsWith(`${begin}query?token=<the value of HOOK> (token`));
  const logged = JSON.stringify(on.place.logged);
  assert.ok(
    logged.includes("/hooks/query") && !/Secret|token=|verify/.test(logged),
    "no token is logged",
  );
});
