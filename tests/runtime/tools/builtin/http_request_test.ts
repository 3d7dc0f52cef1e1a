// Tests http_request with web servers on this machine.
import assert from "node:assert/strict";
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import type { HttpRequestOptions } from "../../../../runtime/tools/builtin/http_request.ts";
import { createHttpRequest } from "../../../../runtime/tools/builtin/http_request.ts";
import { TestClock } from "../../../support/test_clock.ts";
import { call, failureOf } from "../files/sandbox_fixture.ts";
import { ask, OPEN_POLICY, refusal, serve, webContext } from "./http_site.ts";

const { BROTLI_PARAM_QUALITY } = constants;

Deno.test("http_request returns status, main headers and text", async () => {
  await using site = serve(() =>
    new Response("grüezi", {
      status: 418,
      headers: {
        "content-type": "text/plain; charset=utf-8",
        "x-secret": "no",
        "set-cookie": "a=b",
        "etag": '"1"',
      },
    })
  );
  const result = await ask({ url: `${site.origin}/tea` });
  assert.match(result, /^418 .*\n/);
  assert.match(result, /\ncontent-type: text\/plain; charset=utf-8\n/);
  assert.match(result, /\netag: "1"\n/);
  assert.match(result, /\n\ngrüezi$/);
  assert.ok(!result.includes("x-secret") && !result.includes("cookie"));
});

Deno.test("http_request sends method, headers and body", async () => {
  const bodies: string[] = [];
  await using site = serve(async (request) => {
    bodies.push(
      `${request.method} ${request.headers.get("content-type")} ${
        request.headers.get("x-one")
      } ${await request.text()}`,
    );
    return new Response(null, { status: 204 });
  });
  const send = (args: Record<string, unknown>) => ask({ url: site.origin, ...args });
  const posted = await send({ method: "POST", headers: { "X-One": "1" }, body: '{"ü":1}' });
  assert.match(posted, /^204 No Content\n\n\(The body is empty\.\)$/);
  await send({ method: "PUT", body: "plain" });
  await send({ method: "PATCH", headers: { "Content-Type": "text/csv" }, body: "a,b" });
  await send({ method: "DELETE" });
  assert.deepEqual(bodies, [
    'POST application/json 1 {"ü":1}',
    "PUT text/plain; charset=utf-8 null plain",
    "PATCH text/csv null a,b",
    "DELETE null null ",
  ]);
});

Deno.test("http_request has the effect read for GET and HEAD, and unsafe for other methods", () => {
  const tool = createHttpRequest(OPEN_POLICY);
  const effect = (method: string, more = {}) =>
    tool.effect(tool.check({ url: "http://example.com", method, ...more }));
  const expected = ["read", "read", "unsafe", "unsafe", "unsafe"];
  assert.deepEqual(["GET", "HEAD", "POST", "PUT", "DELETE"].map((one) => effect(one)), expected);
  const saving = ["GET", "POST"].map((one) => effect(one, { save_to: "a" }));
  assert.deepEqual(saving, ["idempotent", "unsafe"]);
});

Deno.test("http_request refuses invalid addresses and other schemes", async () => {
  const url = "http://example.com/";
  const cases: [Record<string, unknown>, RegExp][] = [
    [{ url: "example.com" }, /^"example\.com" is not a valid address\. Write it in full/],
    [{ url: "ftp://example.com/" }, /only http:\/\/ and https:\/\//],
    [{ url: "file:///etc/passwd" }, /only http/],
    [{ url: "http://me:pw@example.com/" }, /user name or password/],
    [{ url: "http://me@example.com/" }, /user name or password/],
    [{ url: "http://:pw@example.com/" }, /user name or password/],
    [{ url, body: "x" }, /A GET request has no body/],
    [{ url, headers: { "a b": "x" } }, /is not a valid header name/],
    [{ url, headers: { a: "x\r\nHost: y" } }, /characters that are not allowed/],
  ];
  for (const [args, sentence] of cases) assert.match(await refusal(args), sentence);
  for (const name of ["Host", "Content-Length", "transfer-encoding", "Connection"]) {
    const expected = `The header "${name}" cannot be set.`;
    assert.equal(await refusal({ url, headers: { [name]: "x" } }), expected);
  }
});

Deno.test("http_request refuses closed addresses in every notation", async () => {
  // deno-fmt-ignore
  const hosts = [
    "169.254.169.254", "2852039166", "0xA9FEA9FE", "0251.0376.0251.0376", "169.254.43518",
    "[::ffff:169.254.169.254]", "[fe80::1]", "[fd00:ec2::254]", "100.100.100.200", "0.0.0.0", "0",
    "[::]", "metadata.google.internal", "METADATA.google.internal.", "１６９.254.169.254",
  ];
  for (const host of hosts) {
    const message = await refusal({ url: `http://${host}/latest/meta-data/` });
    assert.match(message, /are closed to agents|is closed to agents/, host);
  }
});

Deno.test("http_request checks the address that it has connected to", async () => {
  await using site = serve(() => new Response("reached"));
  const resolveTo = (...addresses: string[]): HttpRequestOptions => ({
    resolveHost: () =>
      Promise.resolve(
        addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      ),
  });
  const url = `http://rebind.example.com:${site.port}/`;
  assert.match(await ask({ url }, { options: resolveTo("127.0.0.1") }), /reached$/);
  for (const address of ["169.254.169.254", "::ffff:169.254.169.254", "fe80::1"]) {
    const closed = await refusal({ url }, { options: resolveTo("127.0.0.1", address) });
    const expected =
      "Cannot request rebind.example.com: link-local, cloud metadata and reserved addresses are closed to agents.";
    assert.equal(closed, expected);
  }
  const options = resolveTo("127.0.0.1");
  const denied = await refusal({ url }, { policy: { deny: ["private"] }, options });
  assert.match(denied, /closes private addresses/);
  const allowed = { deny: ["private"], allow: ["rebind.example.com"] };
  assert.match(await ask({ url }, { policy: allowed, options }), /reached$/);
  const byName = await refusal({ url }, { policy: { deny: ["example.com"] }, options });
  assert.match(byName, /http\.deny in config\.yaml closes example\.com/);
  // The name is resolved for each connection, so the first answer does not apply to the second.
  const answers = ["127.0.0.1", "169.254.169.254"];
  const resolveHost = () => Promise.resolve([{ address: answers.shift() ?? "", family: 4 }]);
  const turning: HttpRequestOptions = { resolveHost };
  await using bouncing = serve((request) =>
    new URL(request.url).pathname === "/"
      ? new Response(null, { status: 302, headers: { location: "/again" } })
      : new Response("reached")
  );
  assert.match(
    await refusal({ url: `http://rebind.example.com:${bouncing.port}/` }, { options: turning }),
    /are closed to agents/,
  );
  assert.equal(bouncing.seen.length, 1);
});

Deno.test("http_request refuses the service's own port, also by name or redirect", async () => {
  await using own = serve(() => new Response("own"));
  await using other = serve(() =>
    new Response(null, { status: 307, headers: { location: `${own.origin}/agents` } })
  );
  const policy = { ownPorts: () => [own.port] };
  const same = ["localhost", "[::ffff:127.0.0.1]"].map((host) => `http://${host}:${own.port}`);
  for (const url of [own.origin, ...same, other.origin]) {
    assert.match(await refusal({ url }, { policy }), /this is the service's own port/, url);
  }
  assert.equal(own.seen.length, 0);
});

Deno.test("http_request follows five redirects, and checks each", async () => {
  await using site = serve((request) => {
    const left = Number(new URL(request.url).searchParams.get("left"));
    if (left === 0) return new Response("arrived");
    return new Response(null, { status: 302, headers: { location: `/?left=${left - 1}` } });
  });
  const result = await ask({ url: `${site.origin}/?left=5` });
  assert.match(result, /^200 OK\nredirected to: http:\/\/127\.0\.0\.1:\d+\/\?left=0\n[^]*arrived$/);
  assert.match(await refusal({ url: `${site.origin}/?left=6` }), /more than 5 redirects/);
  await using bad = serve((request) =>
    new Response(null, {
      status: 302,
      headers: { location: new URL(request.url).searchParams.get("to") ?? "" },
    })
  );
  const cases: [string, RegExp][] = [
    ["http://169.254.169.254/x", /are closed to agents/],
    ["file:///etc/passwd", /it is not an http or https address/],
    ["http://%2500/", /it is not an http or https address/],
  ];
  for (const [to, sentence] of cases) {
    assert.match(await refusal({ url: `${bad.origin}/?to=${to}` }), sentence, to);
  }
});

Deno.test("http_request decodes a page by the encoding that it declares", async () => {
  const pages: [type: string, before: string, bytes: number[], text: string][] = [
    ["text/html", '<html><meta charset="windows-1251">', [0xcf, 0xf0], "Пр"],
    ["text/html", '<META http-equiv="Content-Type" content="text/html; charset=Shift_JIS">', [
      0x83,
      0x65,
    ], "テ"],
    ["application/xml", '<?xml version="1.0" encoding="ISO-8859-2"?>', [0xb1], "ą"],
    ["text/css", '@charset "koi8-r";', [0xf0], "П"],
    ["text/html; charset=iso-8859-1", '<meta charset="koi8-r">', [0xe9], "é"],
    ["text/html", "<meta charset=utf-16>", [0xc3, 0xa9], "é"],
    ["text/html", '<meta charset="no-such">', [0xc3, 0xa9], "é"],
    ["text/plain", "\xff\xfe", [0x42, 0x30], "あ"],
  ];
  await using site = serve((request) => {
    const [type = "", before = "", bytes = []] =
      pages[Number(new URL(request.url).pathname.slice(1))] ??
        [];
    const head = Uint8Array.from(before, (one) => one.charCodeAt(0));
    return new Response(Uint8Array.from([...head, ...bytes]), {
      headers: { "content-type": type },
    });
  });
  for (const [index, [, , , text]] of pages.entries()) {
    assert.ok((await ask({ url: `${site.origin}/${index}` })).endsWith(text), text);
  }
});

Deno.test("http_request returns 20,000 characters, reads 5 MB, and describes binary bodies", async () => {
  let sent = 0;
  const bombs: Record<string, (bytes: Uint8Array) => Uint8Array> = {
    "/gzip": gzipSync,
    "/X-GZIP": gzipSync,
    "/deflate": deflateSync,
    "/br": (bytes) => brotliCompressSync(bytes, { params: { [BROTLI_PARAM_QUALITY]: 1 } }),
  };
  await using site = serve((request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/long") return new Response("ä".repeat(30_000));
    if (pathname === "/image") {
      return new Response(new Uint8Array(2_000), { headers: { "content-type": "image/png" } });
    }
    if (pathname === "/latin") {
      const headers = { "content-type": "text/plain; charset=iso-8859-1" };
      return new Response(new Uint8Array([0xe9]), { headers });
    }
    if (pathname in bombs) {
      const encoding = pathname.slice(1);
      return new Response(new Uint8Array(bombs[pathname]!(new Uint8Array(5_300_000).fill(65))), {
        headers: { "content-encoding": encoding, "content-type": "text/plain" },
      });
    }
    const chunk = new Uint8Array(64 * 1024).fill(97);
    return new Response(
      new ReadableStream({
        pull(controller) {
          sent += chunk.length;
          controller.enqueue(chunk);
        },
      }),
    );
  });
  const long = await ask({ url: `${site.origin}/long` });
  assert.equal(long.split("ä").length - 1, 20_000);
  assert.match(
    long,
    /\n\(The text is cut here: characters 0 to 20000 of 30000 are shown\. offset: 20000 shows more\.\)$/,
  );
  const rest = await ask({ url: `${site.origin}/long`, offset: 20_000 });
  assert.equal(rest.split("\n\n")[1], "ä".repeat(10_000));
  assert.equal(
    await refusal({ url: `${site.origin}/long`, offset: 30_000 }),
    "The text ends before offset 30000: it has 30000 characters.",
  );
  assert.equal(
    await refusal({ url: `${site.origin}/long`, method: "POST", offset: 1 }),
    "offset would send the request again: it is only for GET.",
  );
  const expected = /\n\n\(The body is binary: image\/png, 2000 bytes\.\)$/;
  assert.match(await ask({ url: `${site.origin}/image` }), expected);
  assert.match(await ask({ url: `${site.origin}/latin` }), /\n\né$/);
  for (const name of Object.keys(bombs)) {
    const shown = await ask({ url: site.origin + name });
    assert.match(
      shown,
      /A{20000}\n.*The body has more than 5242880 bytes; the others were not read/,
      name,
    );
  }
  assert.match(await ask({ url: `${site.origin}/endless` }), /more than 5242880 bytes/);
  assert.ok(sent < 20_000_000, `${sent} bytes were taken`);
  const wanted = /^200 OK\n[^]*\(The body is empty\.\)$/;
  assert.match(await ask({ url: `${site.origin}/long`, method: "HEAD" }), wanted);
});

Deno.test("http_request reports connection failures", async () => {
  const gone = serve(() => new Response());
  const { origin } = gone;
  await gone[Symbol.asyncDispose]();
  const expected =
    /^Cannot request 127\.0\.0\.1:\d+: nothing listens there \(connection refused\)\.$/;
  assert.match(await refusal({ url: origin }), expected);
  const unknown: HttpRequestOptions = {
    resolveHost: () =>
      Promise.reject(Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" })),
  };
  const message = await refusal({ url: "http://nowhere.example.com/" }, { options: unknown });
  assert.equal(message, "Cannot request nowhere.example.com: the host name is unknown.");
  using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const garbling = (async () => {
    const connection = await listener.accept();
    await connection.write(new TextEncoder().encode("no http at all\r\n\r\n"));
    connection.close();
  })();
  const sentence = await refusal({ url: `http://127.0.0.1:${listener.addr.port}/` });
  assert.match(sentence, /^Cannot request 127\.0\.0\.1:\d+: /);
  await garbling;
});

Deno.test("http_request stops at its time limit and on abort", async () => {
  const clock = new TestClock();
  const stop = new AbortController();
  const context = webContext({ clock, signal: stop.signal });
  const end = Promise.withResolvers<Response>();
  let asked = Promise.withResolvers<void>();
  await using site = serve(() => {
    asked.resolve();
    return end.promise;
  });
  /** Starts a call, and waits until its request has arrived. */
  const begin = async () => {
    asked = Promise.withResolvers();
    const outcome = call(createHttpRequest(OPEN_POLICY), { url: site.origin }, context);
    await asked.promise;
    return { outcome };
  };
  const reason = new Error("Cancelled by user");
  try {
    const late = await begin();
    const failure = failureOf(late.outcome);
    await clock.advance(30_000);
    assert.equal(await failure, "No complete reply came within 30 seconds.");
    const cancelled = await begin();
    stop.abort(reason);
    await assert.rejects(cancelled.outcome, reason);
    assert.equal(clock.sleeping, 0);
  } finally {
    end.resolve(new Response());
  }
});

Deno.test("http_request leaves no part of a secret in a cut reply or redirect address", async () => {
  const value = "sekret-value-1234567890";
  const context = webContext({ secrets: [{ name: "APP_TOKEN", value }] });
  await using site = serve(({ url }) =>
    new URL(url).pathname === "/away"
      ? new Response(null, { status: 302, headers: { location: `ftp:${value.repeat(50)}` } })
      : new Response("-".repeat(Number(new URL(url).search.slice(1))) + value.repeat(1_000))
  );
  const tool = createHttpRequest(OPEN_POLICY);
  for (const shift of [0, 5, 11, 17]) {
    const result = await call(tool, { url: `${site.origin}/?${shift}` }, context);
    const body = result.slice(
      result.indexOf("\n\n") + 2,
      result.indexOf("\n(The text is cut here: "),
    );
    assert.equal(body.slice(shift).replaceAll(value, ""), "");
    assert.match(result, new RegExp(`cut here: characters 0 to ${body.length} of `));
  }
  const inside = await call(tool, { url: `${site.origin}/?0`, offset: 7 }, context);
  assert.ok(inside.slice(inside.indexOf("\n\n") + 2).startsWith(value));
  const failure = await failureOf(call(tool, { url: `${site.origin}/away` }, context));
  assert.equal(failure.replaceAll(value, "").match(/"(.*)"/)?.[1], "ftp:");
});

Deno.test("http_request refuses a body over one megabyte", async () => {
  await using site = serve(async (request) => new Response(String((await request.text()).length)));
  const most = "x".repeat(1024 * 1024);
  assert.match(await ask({ url: site.origin, method: "POST", body: most }), /\n\n1048576$/);
  const message = await refusal({ url: site.origin, method: "POST", body: `${most}x` });
  assert.equal(message, "The body has 1025 KB; a request may have 1024 KB.");
  assert.equal(site.seen.length, 1);
});
