// Tests the sign-in to an MCP server through the service: a browser and its cookies, a real authorization server, a run that
// waits, and attacks on the callback.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Runtime } from "../../../runtime/interface/runtime.ts";
import { serve } from "../../../server/mod.ts";
import { AuthorizationServer } from "../../support/machine/authorization_server.ts";
import { TestClock } from "../../support/test_clock.ts";
import { createTestWorkspace, runToEnd, toEnd } from "../../support/test_workspace.ts";
import { FixtureHttpServer } from "../../runtime/tools/mcp/http_server.ts";

const KEY = "a long enough key";
const MINUTE_MS = 60_000;

/** A browser: it keeps the cookies of the service. */
class Browser {
  cookie = "";
  readonly #origin: string;

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Begins a sign-in on the page. */
  async begin(server = "remote", page = `${this.#origin}/`): Promise<string> {
    const reply = await this.#post({ server, page });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body.address;
  }

  async refusal(server: string, page = this.#origin): Promise<{ status: number; detail: string }> {
    const { status, body } = await this.#post({ server, page });
    return { status, detail: body.detail };
  }

  /** Opens an address to which the page of another site leads. */
  async follow(address: string, init: RequestInit = {}): Promise<{ status: number; page: string }> {
    const reply = await fetch(address, {
      ...init,
      headers: { accept: "text/html", "sec-fetch-site": "cross-site", cookie: this.cookie },
    });
    const page = await reply.text();
    const heading = /<h1>(.*?)<\/h1>/s.exec(page)?.[1];
    return { status: reply.status, page: heading === undefined ? page : `${heading}: ${page}` };
  }

  // deno-lint-ignore no-explicit-any -- tests read single fields
  async #post(body: unknown): Promise<{ status: number; body: any }> {
    const reply = await fetch(`${this.#origin}/sign-in/begin`, {
      method: "POST",
      headers: { "x-api-key": KEY, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const cookie = reply.headers.get("set-cookie");
    if (cookie !== null) {
      assert.match(cookie, /^inkling_sign_in_[\da-f]{16}=[\da-f]{64}; HttpOnly; SameSite=Lax; /);
      this.cookie += `${this.cookie && "; "}${cookie.split(";")[0]}`;
    }
    return { status: reply.status, body: await reply.json() };
  }
}

interface World extends AsyncDisposable {
  auth: AuthorizationServer;
  clock: TestClock;
  runtime: Runtime;
  origin: string;
  browser: Browser;
  /** Returns the stored sign-ins. */
  stored(): Promise<string[]>;
}

async function openWorld({ publicUrl }: { publicUrl?: string } = {}): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const place = stack.use(await createTestWorkspace({ shell: { ROBOT_SECRET: "0123456789" } }));
  const auth = stack.use(new AuthorizationServer());
  const server = stack.use(new FixtureHttpServer());
  server.intercept = (request) => auth.guard(request);
  const config = `workspace: ${place.workspace}\n${publicUrl ? `public_url: ${publicUrl}\n` : ""}`;
  await Deno.writeTextFile(join(place.configDir, "config.yaml"), config);
  await Deno.mkdir(join(place.agentsDir, "_config"), { recursive: true });
  await Deno.writeTextFile(
    join(place.agentsDir, "_config/mcp-servers.json"),
    JSON.stringify({
      remote: { url: server.url },
      "<b>other": { url: server.url },
      keyed: { url: server.url, headers: { "X-Key": "k" } },
      program: { command: "x" },
      robot: {
        url: server.url,
        oauth: { grant: "client_credentials", client_id: "x", client_secret_env: "ROBOT_SECRET" },
      },
    }),
  );
  const steps = [{ call: [{ name: "echo", arguments: { text: "hello" } }] }, { say: "{result}" }];
  for (const agent of ["caller", "second"]) {
    await place.writeScript(agent, steps, "mcp: [remote]");
  }
  const clock = new TestClock();
  auth.now = () => clock.now();
  const runtime = stack.use(await place.open({ clock }));
  const service = await serve(runtime, { keepAlive: true, tcp: { port: 0, apiKey: KEY } });
  stack.defer(async () => void await service.shutdown("requested"));
  const origin = `http://127.0.0.1:${service.ports[0]}`;
  const kept = stack.move();
  return {
    auth,
    clock,
    runtime,
    origin,
    browser: new Browser(origin),
    async stored() {
      const folder = join(place.stateDir, "mcp-tokens");
      const names = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name).catch(() => []);
      return names.filter((name) => name.endsWith(".json"));
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

Deno.test("a sign-in on the page continues the runs that wait for it, and its answer works once", async () => {
  await using world = await openWorld();
  const { auth, browser, runtime, origin } = world;
  const waiting = [await runToEnd(runtime, "caller"), await runToEnd(runtime, "second")];
  assert.deepEqual(waiting.map(({ status }) => status), ["waiting", "waiting"]);
  const answer = await auth.consent(await browser.begin());
  assert.ok(answer.startsWith(`${origin}/sign-in/callback?`), answer);
  const first = await browser.follow(answer);
  assert.equal(first.status, 200);
  assert.match(first.page, /^Signed in: .*<b>remote<\/b> at http.*The 2 runs that waited for it/s);
  for (const { id } of waiting) {
    const ended = await toEnd(runtime, id);
    assert.deepEqual([ended.status, ended.outputData], ["success", "hello"]);
  }
  const second = await browser.follow(answer);
  assert.equal(second.status, 400);
  assert.match(second.page, /^The answer was not accepted: .*This sign-in is over: /s);
  assert.equal(auth.to("/token").length, 1);
  assert.deepEqual(await (await runtime.signIns()).list(), [
    { server: "remote", state: "done" },
    { server: "<b>other", state: "none" },
  ]);
});

Deno.test("a callback with a forged state, or from another browser, stores nothing", async () => {
  await using world = await openWorld();
  const { auth, browser, origin, stored } = world;
  const answer = await auth.consent(await browser.begin());
  const forged = new URL(answer);
  forged.searchParams.set("state", "f".repeat(64));
  for (const address of [forged.href, `${origin}/sign-in/callback`, `${answer}&state=x`]) {
    const { status } = await browser.follow(address);
    assert.ok(address.endsWith("&state=x") || status === 400, address);
    if (!address.endsWith("&state=x")) assert.deepEqual(await stored(), []);
  }
  // The first of two values of `state` counts, so the last address was the true answer.
  assert.equal((await stored()).length, 1);
});

Deno.test("an attacker's answer in another browser is refused, and the true browser still completes it", async () => {
  await using world = await openWorld();
  const { auth, browser, origin, stored } = world;
  const answer = await auth.consent(await browser.begin());
  const victim = new Browser(origin);
  for (const cookie of ["", "inkling_sign_in_0=1", browser.cookie.replace(/=.*/, "=0")]) {
    victim.cookie = cookie;
    const { status, page } = await victim.follow(answer);
    assert.equal(status, 400);
    assert.match(page, /Another browser began this sign-in/);
  }
  // A browser with a sign-in of its own, too.
  await victim.begin();
  assert.equal((await victim.follow(answer)).status, 400);
  assert.deepEqual(await stored(), []);
  assert.equal((await browser.follow(answer)).status, 200);
  assert.equal((await stored()).length, 1);
});

Deno.test("an answer after 10 minutes is refused", async () => {
  await using world = await openWorld();
  const { auth, browser, clock, stored } = world;
  const answer = await auth.consent(await browser.begin());
  await clock.advance(10 * MINUTE_MS);
  const { status, page } = await browser.follow(answer);
  assert.equal(status, 400);
  assert.match(page, /^The answer was not accepted: .*This sign-in is over: /s);
  assert.deepEqual([auth.to("/token").length, await stored()], [0, []]);
});

Deno.test("an answer of another issuer, or a refusal, uses the state and stores nothing", async () => {
  await using world = await openWorld();
  const { auth, browser, stored } = world;
  auth.iss = "https://evil.example";
  const mixed = await auth.consent(await browser.begin());
  const wrong = await browser.follow(mixed);
  assert.equal(wrong.status, 400);
  assert.match(
    wrong.page,
    /Inkling cannot sign in to &quot;remote&quot;: .*names another authorization server/,
  );
  assert.doesNotMatch(wrong.page, /evil/);
  const right = new URL(mixed);
  right.searchParams.set("iss", auth.issuer);
  assert.match((await browser.follow(right.href)).page, /This sign-in is over: /);
  const state = new URL(await browser.begin("<b>other")).searchParams.get("state");
  const refused = new URL(mixed);
  refused.search = String(new URLSearchParams({ error: "<i>denied", state: state ?? "" }));
  const { page } = await browser.follow(refused.href);
  assert.match(page, /to &quot;&lt;b&gt;other&quot;: .*&lt;i&gt;denied/);
  assert.deepEqual([auth.to("/token").length, await stored()], [0, []]);
});

Deno.test("only a GET at the service's own host completes a sign-in", async () => {
  await using world = await openWorld();
  const { auth, browser, origin } = world;
  const answer = await auth.consent(await browser.begin());
  for (const method of ["HEAD", "POST", "PUT"]) {
    assert.equal((await browser.follow(answer, { method })).status, 403);
  }
  assert.equal((await fetch(answer, { method: "HEAD" })).status, 405);
  const { port, pathname, search } = new URL(answer);
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(port) });
  const request = `GET ${pathname}${search} HTTP/1.1\r\nHost: evil.example\r\n` +
    `Cookie: ${browser.cookie}\r\nConnection: close\r\n\r\n`;
  await connection.write(new TextEncoder().encode(request));
  const reply = await new Response(connection.readable).text();
  assert.match(reply, /^HTTP\/1\.1 421 /);
  // All other paths stay closed to other sites, and without a key.
  assert.equal((await browser.follow(`${origin}/sign-in`)).status, 401);
  assert.equal((await browser.follow(`${origin}/sign-in/begin`, { method: "POST" })).status, 401);
  assert.equal((await browser.follow(answer)).status, 200);
});

Deno.test("a sign-in begins only for a server with one, on a page to which a browser can return", async () => {
  await using world = await openWorld();
  const { browser, auth, origin } = world;
  const expected: Record<string, RegExp> = {
    robot: /^Inkling cannot begin the sign-in to "robot": it needs no person/,
    program: /it is a program/,
    missing: /mcp-servers\.json has no server "missing"/,
  };
  for (const [server, text] of Object.entries(expected)) {
    const { status, detail } = await browser.refusal(server);
    assert.equal(status, 409);
    assert.match(detail, text);
  }
  for (const page of ["https://evil.example", "http://192.168.1.5:8080", "https://127.0.0.1"]) {
    const { status, detail } = await browser.refusal("remote", page);
    assert.equal(status, 409, page);
    assert.match(detail, /or run: inkling mcp login remote$/);
  }
  assert.deepEqual(auth.requests, []);
  auth.metadata = { registration_endpoint: undefined };
  const { detail } = await browser.refusal("remote");
  assert.ok(
    detail.includes("with the redirect address http://127.0.0.1/sign-in/callback, and set"),
    detail,
  );
  const described = await fetch(`${origin}/sign-in/client`);
  await described.body?.cancel();
  assert.equal(described.status, 404);
});

Deno.test("with an https public_url, the service describes itself instead of registering", async () => {
  const publicUrl = "https://inkling.example/agents";
  await using world = await openWorld({ publicUrl });
  const { auth, browser, origin } = world;
  const documentUrl = `${publicUrl}/sign-in/client`;
  const reply = await fetch(`${origin}/sign-in/client`);
  const document = await reply.json();
  assert.equal(reply.headers.get("content-type"), "application/json");
  assert.deepEqual(document, {
    client_id: documentUrl,
    client_name: "Inkling",
    redirect_uris: [`${publicUrl}/sign-in/callback`],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  });
  auth.metadata = {
    client_id_metadata_document_supported: true,
    registration_endpoint: undefined,
  };
  auth.clients.set(documentUrl, {});
  const answer = new URL(await auth.consent(await browser.begin("remote", publicUrl)));
  assert.equal(answer.origin + answer.pathname, document.redirect_uris[0]);
  // The proxy in front of the service removes its own path.
  const done = await browser.follow(`${origin}/sign-in/callback${answer.search}`);
  assert.equal(done.status, 200, done.page);
  assert.deepEqual(auth.to("/register"), []);
  assert.equal(auth.to("/token")[0]?.body.get("client_id"), documentUrl);
  // A page on this machine has another redirect address, which the document does not contain.
  const { detail } = await browser.refusal("<b>other");
  assert.match(detail, /clients cannot register/);
});
