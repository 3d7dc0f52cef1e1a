// Tests of the log-in over TCP without a listener: requests of browsers and attackers to the application.
import { FakeRuntime } from "../../support/fake_runtime.ts";
import assert from "node:assert/strict";
import { createLogin, WRONG_KEY } from "../../../server/login/login.ts";
import { LOGIN_MS, MOST_LOGINS } from "../../../server/login/logins.ts";
import { createFindKey } from "../../../server/login/key_owners.ts";
import { apiKey, RefusedKeys } from "../../../server/middleware/api_key.ts";
import { hostCheck } from "../../../server/middleware/host_check.ts";
import { LogLines } from "../../support/log_lines.ts";
import { createTestApp } from "../../support/test_app.ts";
import { TestClock } from "../../support/test_clock.ts";
import { createTestService } from "../../support/test_service.ts";
import { sendRaw } from "../raw_http.ts";

const KEY = "correct horse battery";
const HOST = "localhost:8420";
const ORIGIN = `http://${HOST}`;
const TLS_ORIGIN = "https://inkling.example";
const BROWSER = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

/** The application that `serve` builds for a port, with clients. */
function openPort() {
  const clock = new TestClock();
  const log = new LogLines();
  const findKey = createFindKey(KEY, new FakeRuntime({ clock: new TestClock(), directory: "/" }));
  const refused = new RefusedKeys(log);
  const login = createLogin({ findKey, refused, clock, port: 8420 });
  const { app, runtime, clock: streamClock } = createTestApp({
    isLoggedIn: login.isLoggedIn,
    guards: [
      apiKey({ findKey, refused, clock, findLogin: login.find, explain: login.explain }),
      login.explainRefusals,
      hostCheck({ hosts: [], origins: [TLS_ORIGIN] }),
      login.respond,
    ],
  });
  const send = (method: string, path: string, headers: Record<string, string>, body?: string) =>
    app.request(`http://${HOST}${path}`, {
      method,
      headers: { host: HOST, ...headers },
      ...(body !== undefined && { body }),
    });
  const form = { ...BROWSER, "content-type": "application/x-www-form-urlencoded" };
  const logIn = (key = KEY, headers: Record<string, string> = {}) =>
    send(
      "POST",
      "/login",
      { ...form, origin: ORIGIN, "sec-fetch-site": "same-origin", ...headers },
      new URLSearchParams({ key }).toString(),
    );
  return {
    clock,
    streamClock,
    log,
    runtime,
    send,
    logIn,
    /** Logs in, and returns the `Cookie` header that the browser sends afterwards. */
    async enter(headers: Record<string, string> = {}): Promise<string> {
      const response = await logIn(KEY, headers);
      assert.equal(response.status, 303);
      return response.headers.get("set-cookie")?.split(";")[0] ?? "";
    },
    get: async (path: string, headers: Record<string, string> = {}) =>
      (await send("GET", path, headers)).status,
    post: async (path: string, headers: Record<string, string> = {}) =>
      (await send("POST", path, headers)).status,
  };
}

Deno.test("without a key a browser gets the log-in page, and a program the API's refusal", async () => {
  const { send } = openPort();
  for (const path of ["/", "/ui"]) {
    const response = await send("GET", path, BROWSER);
    assert.equal(response.status, 401);
    assert.equal(response.headers.get("content-type"), "text/html; charset=utf-8");
    assert.equal(response.headers.get("cache-control"), "no-store");
    const policy = response.headers.get("content-security-policy") ?? "";
    assert.match(policy, /^default-src 'none'; style-src 'sha256-\S+'; script-src 'sha256-\S+';/);
    assert.match(policy, /form-action 'self'; frame-ancestors 'none'$/);
    const page = await response.text();
    assert.match(page, /<form method="post" action="login">/);
    assert.match(page, /inkling ui/);
  }
  const programs: [string, string, Record<string, string>][] = [
    ["GET", "/ui", {}],
    ["GET", "/ui/assets/app.js", BROWSER],
    ["GET", "/agents", BROWSER],
    ["POST", "/ui", BROWSER],
    ["POST", "/logout", BROWSER],
  ];
  for (const [method, path, headers] of programs) {
    const response = await send(method, path, headers);
    assert.equal(response.status, 401, path);
    assert.deepEqual(await response.json(), { detail: "Invalid or missing API key" });
  }
});

Deno.test("a log-in exchanges the key for a cookie that does not contain the key", async () => {
  const { logIn, get, send } = openPort();
  // A pasted key may end with a line break.
  const response = await logIn(`${KEY}\n`);
  assert.equal(response.status, 303);
  assert.equal(response.headers.get("location"), "ui");
  const cookie = response.headers.get("set-cookie") ?? "";
  assert.match(cookie, /^inkling_login_8420=[\w-]{43}; HttpOnly; SameSite=Strict; Max-Age=604800$/);
  const [pair = ""] = cookie.split(";");
  for (const path of ["/info", "/agents", "/ui", "/openapi.json"]) {
    assert.equal(await get(path, { cookie: `a=b; ${pair}; c=d` }), 200, path);
  }
  const page = await (await send("GET", "/ui", { ...BROWSER, cookie: pair })).text();
  assert.match(page, /<div id="app" data-logged-in>/);
  const keyed = await (await send("GET", "/ui", { ...BROWSER, "x-api-key": KEY })).text();
  assert.match(keyed, /<div id="app">/);
});

Deno.test("the cookie is limited to TLS if the page's origin used TLS", async () => {
  const { logIn } = openPort();
  const cookieOf = async (headers: Record<string, string>) =>
    (await logIn(KEY, headers)).headers.get("set-cookie") ?? "";
  assert.match(await cookieOf({ origin: TLS_ORIGIN }), /; Secure$/);
  assert.doesNotMatch(await cookieOf({}), /Secure/);
  assert.doesNotMatch(await cookieOf({ "x-forwarded-proto": "https" }), /Secure/);
});

Deno.test("a forged cookie is refused", async () => {
  const { enter, get, log } = openPort();
  const pair = await enter();
  const [name = "", value = ""] = pair.split("=");
  const last = value.endsWith("A") ? "B" : "A";
  const forged = [
    name,
    `${name}=`,
    `${name}=${KEY}`,
    `${name}=${value.slice(0, -1)}${last}`,
    `${name}=${value}x`,
    `${name}=${value.slice(1)}`,
    `x${pair}`,
    `inkling_login_1=${value}`,
    `${name}="${value}"`,
    // A cookie that the service created before a restart.
    await openPort().enter(),
    encodeURIComponent(pair),
  ];
  for (const cookie of forged) assert.equal(await get("/info", { cookie }), 401, cookie);
  assert.equal(await get("/info", { "x-api-key": value }), 401, "a cookie is no key");
  assert.equal(await get("/info", { cookie: pair }), 200);
  // Forged cookies count as refused keys.
  assert.deepEqual(log.lines.map(({ fields }) => fields.refused), [1, 10]);
});

Deno.test("requests of another page are refused despite the cookie", async () => {
  const { enter, post, get, runtime } = openPort();
  const cookie = await enter();
  const foreign: Record<string, string>[] = [
    {},
    { origin: "null" },
    { origin: "http://evil.example" },
    { origin: "http://localhost:8421" },
    { origin: "https://localhost:8420" },
    { origin: "http://127.0.0.1:8420" },
    { origin: ORIGIN, "sec-fetch-site": "cross-site" },
    { origin: ORIGIN, "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "none" },
  ];
  for (const headers of foreign) {
    for (const path of ["/agents/x/run", "/shutdown", "/logout", "/requests/1/respond"]) {
      assert.equal(await post(path, { cookie, ...headers }), 403, JSON.stringify(headers));
    }
  }
  assert.equal(runtime.runs.length, 0);
  // A page on another port of this host must not load responses as a script or an image.
  assert.equal(await get("/info", { cookie, "sec-fetch-site": "same-site" }), 403);
  assert.equal(await get("/info", { cookie, "sec-fetch-site": "same-origin" }), 200);
  assert.equal(await get("/info", { cookie, "sec-fetch-site": "none" }), 200);
  assert.equal(await get("/info", { cookie, host: "evil.example" }), 421);
  // The refused log-out did not end the log-in. The page itself may log out.
  assert.equal(await post("/logout", { cookie, origin: ORIGIN }), 204);
});

Deno.test("the rules for cookies do not apply to keys", async () => {
  const { post, enter } = openPort();
  const key = { "x-api-key": KEY };
  assert.equal(await post("/logout", key), 204);
  assert.equal(await post("/logout", { ...key, cookie: await enter() }), 204);
});

Deno.test("a log-out invalidates the cookie and deletes it in the browser", async () => {
  const { enter, send, get } = openPort();
  const cookie = await enter();
  const other = await enter();
  const response = await send("POST", "/logout", { cookie, origin: ORIGIN });
  assert.equal(response.status, 204);
  assert.match(response.headers.get("set-cookie") ?? "", /^inkling_login_8420=; .*Max-Age=0$/);
  assert.equal(await get("/info", { cookie }), 401);
  assert.equal(await get("/info", { cookie: other }), 200);
});

Deno.test("a log-in ends after 7 days, and too many log-ins end the oldest", async () => {
  const { enter, get, clock } = openPort();
  const cookies: string[] = [];
  for (let n = 0; n <= MOST_LOGINS; n++) cookies.push(await enter());
  const statuses = await Promise.all(cookies.map((cookie) => get("/info", { cookie })));
  assert.deepEqual(statuses, [401, ...Array(MOST_LOGINS).fill(200)]);
  const newest = { cookie: cookies.at(-1) ?? "" };
  await clock.advance(LOGIN_MS - 1);
  assert.equal(await get("/info", newest), 200);
  await clock.advance(1);
  assert.equal(await get("/info", newest), 401);
});

Deno.test("a stream ends when its log-in ends", async () => {
  const { enter, send, post, clock, streamClock } = openPort();
  const cookie = await enter();
  const stream = await send("GET", "/events/stream", { cookie });
  assert.equal(stream.status, 200);
  const reader = stream.body?.getReader();
  /** Returns the text of the stream's next chunk, or "ended". The stream sends a chunk every 10 s. */
  const next = async () => {
    const read = reader?.read();
    await streamClock.advance(10_000);
    const { done, value } = await read ?? { done: true };
    return done ? "ended" : new TextDecoder().decode(value);
  };
  assert.match(await next(), /^: connected/);
  assert.match(await next(), /^event: heartbeat/);
  assert.equal(await post("/logout", { cookie, origin: ORIGIN }), 204);
  await clock.advance(1_000);
  assert.equal(await next(), "ended");
});

Deno.test("a log-in with a wrong key is counted, waits a second, and shows the page", async () => {
  const { logIn, log, clock } = openPort();
  for (const key of ["", "wrong", `${KEY}x`, KEY.toUpperCase()]) {
    const answer = Promise.resolve(logIn(key));
    let isAnswered = false;
    answer.then(() => isAnswered = true);
    await clock.advance(WRONG_KEY.waitsMs - 1);
    assert.equal(isAnswered, false, key);
    await clock.advance(1);
    const response = await answer;
    assert.equal(response.status, 401);
    assert.equal(response.headers.get("set-cookie"), null);
    const page = await response.text();
    assert.match(page, /role="alert" id="fault">This is not an API key/);
    assert.ok(key === "" || !page.includes(key), "it is not repeated");
  }
  assert.equal(log.lines[0]?.fields.refused, 1);
  assert.ok(!JSON.stringify(log.lines).includes("wrong"));
});

Deno.test("while many wrong keys wait, further keys are refused without a check", async () => {
  const { logIn, get, enter, clock } = openPort();
  const before = await enter();
  const wrong = Array.from({ length: WRONG_KEY.mostWaiting }, (_, n) => logIn(`guess ${n}`));
  await clock.advance(0);
  for (const key of ["one more", KEY]) {
    const response = await logIn(key);
    assert.equal(response.status, 429);
    assert.equal(response.headers.get("retry-after"), "1");
    assert.match(await response.text(), /Try again in a moment/);
  }
  assert.equal(await get("/info", { "x-api-key": KEY }), 200);
  assert.equal(await get("/info", { cookie: before }), 200);
  await clock.advance(WRONG_KEY.waitsMs);
  await Promise.all(wrong);
  assert.equal((await logIn()).status, 303);
});

Deno.test("a log-in requires the page's own origin and a small form", async () => {
  const { logIn, send } = openPort();
  const cases: [number, Record<string, string>][] = [
    [403, { origin: "null" }],
    [403, { origin: "http://evil.example" }],
    [403, { "sec-fetch-site": "cross-site" }],
    [421, { host: "evil.example" }],
  ];
  for (const [status, headers] of cases) {
    const response = await logIn(KEY, headers);
    assert.equal(response.status, status, JSON.stringify(headers));
    assert.equal(response.headers.get("set-cookie"), null);
  }
  const body = new URLSearchParams({ key: KEY }).toString();
  assert.equal((await send("POST", "/login", BROWSER, body)).status, 403, "without an Origin");
  assert.equal((await logIn("x".repeat(9_000))).status, 413);
});

Deno.test("a log-in through an unlisted proxy shows the line that config.yaml needs", async () => {
  const { logIn } = openPort();
  const origin = await logIn(KEY, { origin: 'https://box.example"<b>' });
  assert.match(await origin.text(), /origins: \["https:\/\/box\.example&quot;&lt;b&gt;"\]/);
  const host = await logIn(KEY, { host: "box.example" });
  assert.match(await host.text(), /hosts: \["box\.example"\]/);
  const site = await logIn(KEY, { origin: "https://evil.example", "sec-fetch-site": "cross-site" });
  assert.deepEqual(await site.json(), { detail: "Requests from other origins are refused" });
});

Deno.test("a prefetch neither logs in nor out", async () => {
  const { enter, send, get } = openPort();
  const cookie = await enter();
  const ahead = {
    ...BROWSER,
    "sec-purpose": "prefetch;prerender",
    "sec-fetch-site": "same-origin",
  };
  const login = await send("GET", `/login?key=${encodeURIComponent(KEY)}`, ahead);
  assert.equal(login.status, 303);
  assert.equal(login.headers.get("set-cookie"), null);
  const logout = await send("GET", "/logout", { ...ahead, cookie });
  assert.equal(logout.status, 405);
  assert.equal(logout.headers.get("allow"), "POST");
  assert.equal((await send("PUT", "/login", ahead)).status, 405);
  assert.equal(await get("/info", { cookie }), 200);
});

Deno.test("no other spelling of the log-in path is open", async () => {
  await using on = await createTestService();
  const { ports: [port = 0] } = await on.start({ tcp: { port: 0, apiKey: KEY } });
  // The paths are sent byte by byte, because HTTP clients normalize them.
  const paths = [
    "/login/",
    "/LOGIN",
    "//login",
    "/./login/",
    "/login/../agents",
    "/agents/../login",
    "/agents/%2e%2e/login",
    "/agents/x/run/../../../login",
    "/login;/agents",
    "/login%2f..%2fagents",
    "/agents?/login",
    "http://localhost/agents#/login",
  ];
  for (const path of paths) {
    const { status } = await sendRaw(
      () => Deno.connect({ hostname: "127.0.0.1", port }),
      `GET ${path} HTTP/1.1\r\nhost: localhost:${port}\r\nconnection: close\r\n\r\n`,
    );
    // 303: the server normalized the path to the log-in path, which redirects to the dashboard.
    assert.ok([303, 400, 401].includes(status ?? 0), `${path}: ${status}`);
  }
});
