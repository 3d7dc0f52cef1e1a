// Fuzzes the TCP port with requests of browsers, and of clients that imitate browsers.
import { FakeRuntime } from "../../../tests/support/fake_runtime.ts";
import assert from "node:assert/strict";
import fc from "fast-check";
import { createLogin } from "../../../server/login/login.ts";
import { createFindKey } from "../../../server/login/key_owners.ts";
import { apiKey, RefusedKeys } from "../../../server/middleware/api_key.ts";
import { hostCheck } from "../../../server/middleware/host_check.ts";
import { LogLines } from "../../../tests/support/log_lines.ts";
import { createTestApp, type TestApp } from "../../../tests/support/test_app.ts";
import { TestClock } from "../../../tests/support/test_clock.ts";
import { defineTarget } from "../target.ts";

const KEY = "key of the fuzzer";
const HOST = "localhost:8420";
const ORIGINS = [`http://${HOST}`, "https://inkling.example"];
/** A placeholder for the cookie of the logged-in person. */
const COOKIE = "{cookie}";

interface LoginWorld {
  app: TestApp["app"];
  clock: TestClock;
  cookie: string;
}

interface SentRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

const printable = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: 20,
});
const cookies = fc.array(
  fc.oneof(
    fc.constantFrom(COOKIE, "inkling_login_8420=", "inkling_login_8420", "inkling_login_8420=x"),
    fc.constantFrom(`x${COOKIE}`, `${COOKIE}x`, `"${COOKIE}"`, "=", "", "a=b"),
    printable.map((text) => text.replaceAll(/[,;]/g, "")),
  ),
  { maxLength: 4 },
).map((all) => all.join("; "));
const headers = fc.record({
  host: fc.constantFrom(HOST, HOST, HOST, "127.0.0.1:8420", "evil.example", "localhost"),
  origin: fc.oneof(
    fc.constantFrom(...ORIGINS, "null", "http://evil.example", "http://localhost:1"),
    printable,
  ),
  "sec-fetch-site": fc.constantFrom("same-origin", "same-site", "cross-site", "none", "x"),
  "x-api-key": fc.oneof(fc.constantFrom(KEY, "", COOKIE), printable),
  cookie: cookies,
  accept: fc.constantFrom("text/html", "*/*", "application/json"),
  "content-type": fc.constantFrom("application/x-www-form-urlencoded", "text/plain", "x"),
}, { requiredKeys: ["host"] });
/** The paths of the requests, without the log-out, which would end the session that other cases use. */
const PATHS = ["/login", "/ui", "/", "/agents", "/agents/x/run", "/scheduler/pause", "/health"];

/**
 * Sends a request and advances the clock until the response arrives, because the server delays its response to a wrong key.
 */
async function send(
  { app, clock, cookie }: LoginWorld,
  request: SentRequest,
): Promise<Response> {
  const { method, path, body } = request;
  const headers = new Headers(
    Object.entries(request.headers).map(([name, text]) => [name, text.replaceAll(COOKIE, cookie)]),
  );
  const isBodiless = method === "GET" || method === "HEAD";
  const answer = Promise.resolve(
    app.request(`http://${HOST}${path}`, { method, headers, ...(!isBodiless && { body }) }),
  );
  let isAnswered = false;
  answer.finally(() => isAnswered = true);
  while (!isAnswered) await clock.advance(1_000);
  const response = await answer;
  await response.body?.cancel();
  return response;
}

async function openWorld(): Promise<LoginWorld & AsyncDisposable> {
  const clock = new TestClock();
  const findKey = createFindKey(KEY, new FakeRuntime({ clock: new TestClock(), directory: "/" }));
  const refused = new RefusedKeys(new LogLines());
  const login = createLogin({ findKey, refused, clock, port: 8420 });
  const { app } = createTestApp({
    guards: [
      apiKey({ findKey, refused, clock, findLogin: login.find, explain: login.explain }),
      login.explainRefusals,
      hostCheck({ hosts: [], origins: ORIGINS.slice(1) }),
      login.respond,
    ],
  });
  const world = { app, clock, cookie: "" };
  const entered = await send(world, {
    method: "POST",
    path: "/login",
    headers: { host: HOST, origin: `http://${HOST}` },
    body: new URLSearchParams({ key: KEY }).toString(),
  });
  const [cookie = ""] = (entered.headers.get("set-cookie") ?? "").split(";");
  return { ...world, cookie, [Symbol.asyncDispose]: () => Promise.resolve() };
}

export const logins = defineTarget<SentRequest, LoginWorld>({
  name: "logins",
  claim:
    "only the key or the whole cookie gives access, and the cookie allows changes only to our own page",
  oneIn: 5,
  open: openWorld,
  cases: () =>
    fc.record({
      method: fc.constantFrom("GET", "HEAD", "POST", "PUT", "DELETE"),
      path: fc.constantFrom(...PATHS),
      headers: headers.map((all) => all as Record<string, string>),
      body: fc.oneof(
        fc.constantFrom(`key=${encodeURIComponent(KEY)}`, "key=", "key", "key=a&key=b"),
        printable,
        fc.constant("x".repeat(9_000)),
      ),
    }),
  async check(request, world) {
    const { method, path, headers: { origin, cookie = "", ...headers }, body } = request;
    const { status, headers: answered } = await send(world, request);
    assert.ok(status < 500, `${status}`);
    const site = headers["sec-fetch-site"] ?? "none";
    const isOwnPage = ORIGINS.includes(origin ?? "") || origin === `http://${headers.host}`;
    if (answered.has("set-cookie")) {
      assert.ok(method === "POST" && path === "/login" && isOwnPage && body.startsWith("key=key"));
    }
    if (path === "/health" || path === "/login") return;
    const hasKey = headers["x-api-key"]?.trim() === KEY;
    const hasCookie = cookie.split(";").some((one) => one.trim() === COOKIE);
    if (hasKey) return;
    if (!hasCookie) return assert.equal(status, 401);
    const isRead = method === "GET" || method === "HEAD";
    if (site !== "none" && site !== "same-origin" || !isRead && !isOwnPage) {
      assert.ok([403, 421].includes(status), `${status}`);
    }
  },
});
