// Tests of the proxy over real sockets: access, forwarding, and the end of the browser or the service.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { MOST_WAITING } from "../../../server/listeners/connections.ts";
import { openUiProxy } from "../../../server/ui/ui_proxy.ts";
import { untilFree } from "../../support/machine/free_port.ts";
import { until } from "../../support/until.ts";
import { discard, ProxyWorld } from "./proxy_world.ts";

Deno.test("openUiProxy() accepts the token once, and redirects to an address without the token", async () => {
  await using world = await ProxyWorld.open(() => new Response("the page"));
  assert.match(world.link.address, /^http:\/\/127\.0\.0\.1:\d+\/open\?token=[\w-]{43}$/);
  const first = await discard(await fetch(world.link.address, { redirect: "manual" }));
  assert.equal(first.status, 303);
  assert.equal(first.headers.get("location"), "/ui");
  assert.equal(first.headers.get("referrer-policy"), "no-referrer");
  assert.equal(first.headers.get("cache-control"), "no-store");
  const cookie = first.headers.get("set-cookie") ?? "";
  assert.match(cookie, /^inkling_ui_\d+=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/);

  const second = await fetch(world.link.address, {
    redirect: "manual",
    headers: { accept: "text/html" },
  });
  assert.equal(second.status, 403);
  assert.equal(second.headers.get("set-cookie"), null);
  assert.match(second.headers.get("content-type") ?? "", /^text\/html/);
  const page = await second.text();
  assert.match(page, /<h1>This link has been used<\/h1>/);
  assert.match(page, /Run "inkling ui" again to get a new link/);

  // The browser with the cookie may open the address again.
  const [pair = ""] = cookie.split(";");
  const again = await discard(
    await fetch(world.link.address, { redirect: "manual", headers: { cookie: pair } }),
  );
  assert.deepEqual([again.status, again.headers.get("location")], [303, "/ui"]);
});

Deno.test("openUiProxy() creates a private file for the browser and deletes it", async () => {
  await using world = await ProxyWorld.open(() => new Response("the page"));
  const { file, address } = world.link;
  const info = await Deno.stat(file);
  assert.equal((info.mode ?? 0) & 0o777, 0o600);
  assert.equal(dirname(fileURLToPath(file)), world.directory);
  const page = await Deno.readTextFile(file);
  const token = new URL(address).searchParams.get("token") ?? "";
  const [, action = ""] = /action="([^"]*)"/.exec(page) ?? [];
  assert.equal(action, `${world.origin}/open`);
  assert.ok(page.includes(`name="token" value="${token}"`));

  const post = (body: string) =>
    fetch(action, {
      method: "POST",
      // The headers that a browser sends after opening a local file.
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        origin: "null",
        "sec-fetch-site": "cross-site",
      },
      body,
    });
  assert.equal((await discard(await post("token=wrong"))).status, 403);
  const entered = await post(`token=${token}`);
  assert.equal(entered.status, 200);
  assert.match(entered.headers.get("set-cookie") ?? "", /HttpOnly; SameSite=Strict/);
  const led = await entered.text();
  assert.match(led, /http-equiv="refresh" content="0; url=\/ui"/);
  assert.ok(!led.includes(token));
  await assert.rejects(Deno.stat(file), Deno.errors.NotFound);
  assert.equal((await discard(await post(`token=${token}`))).status, 403);
});

Deno.test("openUiProxy() keeps its token after a request other than GET", async () => {
  await using world = await ProxyWorld.open();
  for (const method of ["HEAD", "PUT", "DELETE", "OPTIONS"]) {
    const response = await fetch(world.link.address, { method, redirect: "manual" });
    assert.equal((await discard(response)).status, 405, method);
  }
  const posted = await fetch(world.link.address, { method: "POST", body: "x".repeat(2_000) });
  assert.equal((await discard(posted)).status, 405);
  const empty = await fetch(world.link.address, { method: "POST", body: "" });
  assert.equal((await discard(empty)).status, 403);
  await world.enter();
});

Deno.test("openUiProxy() forwards nothing without the cookie, whatever the token", async () => {
  let calls = 0;
  await using world = await ProxyWorld.open(() => {
    calls++;
    return new Response("secret");
  });
  const { token } = Object.fromEntries(new URL(world.link.address).searchParams);
  for (const path of ["/agents", `/agents?token=${token}`, "/open", "/open?token=wrong", "/"]) {
    const response = await fetch(world.origin + path, { redirect: "manual" });
    assert.equal(response.status, 403, path);
    assert.match((await response.json()).detail, /inkling ui/);
  }
  const page = await fetch(`${world.origin}/ui`, { headers: { accept: "text/html" } });
  assert.match(await page.text(), /<h1>Open the page from the terminal<\/h1>/);
  const posted = await fetch(`${world.origin}/shutdown`, { method: "POST" });
  assert.equal((await discard(posted)).status, 403);
  await world.enter();
  const [name, value] = world.cookie.split("=");
  const others = [
    name,
    `${name}=`,
    `${world.cookie}x`,
    `inkling_ui_2=${value}`,
    `x${world.cookie}`,
  ];
  for (const cookie of others.map(String)) {
    const response = await fetch(`${world.origin}/agents`, { headers: { cookie } });
    assert.equal((await discard(response)).status, 403, cookie);
  }
  assert.equal(calls, 0);
  const among = { cookie: `a=b; ${world.cookie}; c=d` };
  assert.equal(await (await fetch(`${world.origin}/agents`, { headers: among })).text(), "secret");
});

Deno.test("openUiProxy() forwards the answer of a sign-in, with the cookies of sign-ins and no others", async () => {
  const received: string[] = [];
  await using world = await ProxyWorld.open(({ method, url, headers }) => {
    received.push(`${method} ${new URL(url).pathname} ${headers.get("cookie")}`);
    const name = new URL(url).searchParams.get("sets") ?? "";
    return new Response("", { headers: { "set-cookie": `${name}=1` } });
  });
  const follow = async (path: string, method = "GET") => {
    const headers = {
      "sec-fetch-site": "cross-site",
      cookie: `a=b; inkling_sign_in_1=x; inkling_ui_${world.port}=y`,
    };
    return await discard(await fetch(world.origin + path, { method, headers }));
  };
  const own = await follow("/sign-in/callback?sets=inkling_sign_in_1");
  assert.deepEqual([own.status, own.headers.get("set-cookie")], [200, "inkling_sign_in_1=1"]);
  const other = await follow("/sign-in/callback?sets=inkling_ui_1");
  assert.deepEqual([other.status, other.headers.get("set-cookie")], [200, null]);
  for (const path of ["/sign-in", "/sign-in/callback/", "/sign-in/client", "/agents"]) {
    assert.equal((await follow(path)).status, 403, path);
  }
  assert.equal((await follow("/sign-in/callback", "POST")).status, 403);
  const line = "GET /sign-in/callback inkling_sign_in_1=x";
  assert.deepEqual(received, [line, line]);
});

Deno.test("openUiProxy() refuses another Host and another page, even with the cookie", async () => {
  let calls = 0;
  await using world = await ProxyWorld.open(() => {
    calls++;
    return new Response("secret");
  });
  const own = `Host: 127.0.0.1:${world.port}`;
  const entry = world.link.address.slice(world.origin.length);
  const refusedEntry = await world.raw(entry, [`Host: evil.example:${world.port}`]);
  assert.equal(refusedEntry.status, 421);
  const crossEntry = await world.raw(entry, [own, "Sec-Fetch-Site: cross-site"]);
  assert.equal(crossEntry.status, 403);
  // None of the refused requests used up the token.
  await world.enter();
  const cookie = `Cookie: ${world.cookie}`;
  const cases: [number, string[]][] = [
    [421, ["Host: evil.example"]],
    [421, [`Host: evil.example:${world.port}`]],
    [421, [`Host: localhost:${world.port}`]],
    [421, ["Host: 127.0.0.1"]],
    [421, [`Host: 127.0.0.1:${world.port === 80 ? 81 : 80}`]],
    [403, [own, "Origin: https://evil.example"]],
    [403, [own, "Origin: null"]],
    [403, [own, `Origin: http://localhost:${world.port}`]],
    [403, [own, "Origin: http://127.0.0.1:1"]],
    [403, [own, "Sec-Fetch-Site: cross-site"]],
    // For a browser, another port of 127.0.0.1 is the same site, so it sends the cookie.
    [403, [own, "Sec-Fetch-Site: same-site"]],
  ];
  for (const [status, lines] of cases) {
    const answer = await world.raw("/agents", [...lines, cookie]);
    assert.equal(answer.status, status, lines.join());
    assert.ok(!answer.text.includes("secret"), lines.join());
  }
  // The URL in the request line has another host than the Host header.
  assert.equal((await world.raw("http://evil.example/agents", [own, cookie])).status, 421);
  assert.equal(calls, 0);
  const ours = [own, cookie, `Origin: ${world.origin}`, "Sec-Fetch-Site: same-origin"];
  assert.equal((await world.raw("/agents", ours)).status, 200);
});

Deno.test("openUiProxy() forwards method, path, query, body and response", async () => {
  await using world = await ProxyWorld.open(async (request) => {
    const { method, url } = request;
    return Response.json({ method, url, body: await request.text() }, { status: 422 });
  });
  await world.enter();
  const response = await world.fetch("/agents/my%20agent/run?a=%2F&b=1", {
    method: "POST",
    body: '{"args": ["é"]}',
  });
  assert.equal(response.status, 422);
  assert.deepEqual(await response.json(), {
    method: "POST",
    url: "http://localhost/agents/my%20agent/run?a=%2F&b=1",
    body: '{"args": ["é"]}',
  });
});

Deno.test("openUiProxy() forwards neither headers of the connection nor credentials", async () => {
  await using world = await ProxyWorld.open((request) =>
    Response.json(Object.fromEntries(request.headers), {
      headers: { "content-security-policy": "default-src 'none'", "set-cookie": "no=1" },
    })
  );
  await world.enter();
  const kept = {
    accept: "text/event-stream",
    "content-type": "application/json",
    "idempotency-key": "a",
    "last-event-id": "12",
  };
  const dropped = {
    cookie: world.cookie,
    origin: world.origin,
    referer: `${world.origin}/open?token=secret`,
    "x-api-key": "secret",
    "sec-fetch-site": "same-origin",
    "x-forwarded-for": "10.0.0.1",
    forwarded: "for=10.0.0.1",
    connection: "keep-alive, X-Mine, not a name, ",
    "keep-alive": "timeout=5",
    "x-mine": "1",
    te: "trailers",
    "proxy-authorization": "secret",
  };
  const sent = {
    host: `127.0.0.1:${world.port}`,
    "accept-encoding": "gzip, br",
    ...kept,
    ...dropped,
  };
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}`);
  const [head = "", body = ""] = (await world.raw("/info", lines)).text.split("\r\n\r\n");
  assert.match(head, /^content-security-policy: default-src 'none'/im);
  assert.doesNotMatch(head, /set-cookie/i);
  const arrived: Record<string, string> = JSON.parse(body);
  for (const [name, value] of Object.entries({ ...kept, "accept-encoding": "identity" })) {
    assert.equal(arrived[name], value, name);
  }
  for (const [name, value] of Object.entries(dropped)) assert.notEqual(arrived[name], value, name);
});

Deno.test("openUiProxy() forwards a stream without delay", async () => {
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  let lastEventId: string | null = null;
  let isLeft = false;
  const send = (text: string) => stream?.enqueue(new TextEncoder().encode(text));
  await using world = await ProxyWorld.open((request) => {
    lastEventId = request.headers.get("last-event-id");
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => void (stream = controller),
      cancel: () => void (isLeft = true),
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
  await world.enter();
  const leave = new AbortController();
  const response = await world.fetch("/executions/1/stream", {
    headers: { "last-event-id": "6", "accept-encoding": "gzip" },
    signal: leave.signal,
  });
  assert.equal(lastEventId, "6");
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  // Each chunk arrives before the next one is sent, so the proxy does not buffer chunks.
  for (let id = 7; id < 10; id++) {
    send(`id: ${id}\ndata: ${id}\n\n`);
    assert.equal((await reader?.read())?.value, `id: ${id}\ndata: ${id}\n\n`);
  }
  assert.equal(isLeft, false);
  leave.abort();
  await assert.rejects(reader?.read() ?? Promise.resolve());
  await until(() => isLeft, "the service notices that the browser left");
});

Deno.test("openUiProxy() returns 502 while no service runs, and then works again", async () => {
  await using world = await ProxyWorld.open(() => new Response("first"));
  await world.enter();
  assert.equal(await (await world.fetch("/info")).text(), "first");
  await world.stop();
  const page = await world.fetch("/docs", { headers: { accept: "text/html,*/*" } });
  assert.equal(page.status, 502);
  assert.equal(page.headers.get("content-type"), "text/html; charset=utf-8");
  assert.match(await page.text(), /The service does not answer\. Start it with "inkling start -d"/);
  const script = await world.fetch("/info");
  assert.equal(script.status, 502);
  assert.match((await script.json()).detail, /^The service does not answer/);
  // A redirect is forwarded and not followed.
  const headers = { location: "http://evil.example/" };
  world.start(() => new Response(null, { status: 302, headers }));
  const redirect = await discard(await world.fetch("/somewhere", { redirect: "manual" }));
  assert.equal(redirect.status, 302);
  assert.equal(redirect.headers.get("location"), headers.location);
});

Deno.test("openUiProxy() ends open streams and frees its port when it is disposed", async () => {
  let isLeft = false;
  const world = await ProxyWorld.open(() =>
    new Response(
      new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode("data: 1\n\n")),
        cancel: () => void (isLeft = true),
      }),
    )
  );
  await world.enter();
  const response = await world.fetch("/events/stream");
  const reader = response.body?.getReader();
  await reader?.read();
  const { port } = world;
  await world[Symbol.asyncDispose]();
  await reader?.read().catch(() => {/* However the connection ends, it ends. */});
  assert.ok(isLeft);
  await untilFree(port);
});

Deno.test("openUiProxy() closes the oldest of too many silent connections", async () => {
  const directory = await Deno.makeTempDir({ prefix: "inkling-ui-" });
  const said: string[] = [];
  await using clients = new AsyncDisposableStack();
  clients.defer(() => Deno.remove(directory, { recursive: true }));
  const proxy = clients.use(
    await openUiProxy({
      stateDir: directory,
      socketFile: join(directory, "service.sock"),
      home: "/ui",
      warn: (message) => said.push(message),
    }),
  );
  const { port } = proxy;
  const connect = async () =>
    clients.adopt(await Deno.connect({ hostname: "127.0.0.1", port }), (one) => one.close());
  const first = await connect();
  for (let n = 0; n < MOST_WAITING.ofOneAddress; n++) await connect();
  assert.equal(await first.read(new Uint8Array(1)), null);
  assert.deepEqual(said, ["Too many connections without a request: closing the oldest"]);
});
