// http_request against servers on this machine.
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import {
  createHttpRequest,
  type HttpRequestOptions,
} from "../../../../runtime/tools/builtin/http_request.ts";
import { TestClock } from "../../../support/test_clock.ts";
import { call, failureOf, SandboxFixture, testContext } from "../files/sandbox_fixture.ts";
import { ask, OPEN_POLICY, refusal, serve } from "./http_site.ts";

Deno.test("http_request shows status, main headers and text", async () => {
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
  assert.match(
    await ask({ url: site.origin, method: "POST", headers: { "X-One": "1" }, body: '{"ü":1}' }),
    /^204 No Content\n\n\(The body is empty\.\)$/,
  );
  await ask({ url: site.origin, method: "PUT", body: "plain" });
  await ask({
    url: site.origin,
    method: "PATCH",
    headers: { "Content-Type": "text/csv" },
    body: "a,b",
  });
  await ask({ url: site.origin, method: "DELETE" });
  assert.deepEqual(bodies, [
    'POST application/json 1 {"ü":1}',
    "PUT text/plain; charset=utf-8 null plain",
    "PATCH text/csv null a,b",
    "DELETE null null ",
  ]);
});

Deno.test("http_request declares what repeating a call does", () => {
  const tool = createHttpRequest(OPEN_POLICY);
  const effect = (method: string) => tool.effect(tool.check({ url: "http://example.com", method }));
  assert.deepEqual(["GET", "HEAD", "POST", "PUT", "DELETE"].map(effect), [
    "read",
    "read",
    "unsafe",
    "unsafe",
    "unsafe",
  ]);
});

Deno.test("http_request refuses addresses that are none, or not of the web", async () => {
  assert.match(
    await refusal({ url: "example.com" }),
    /^"example\.com" is not a valid address\. Write it in full/,
  );
  assert.match(await refusal({ url: "ftp://example.com/" }), /only http:\/\/ and https:\/\//);
  assert.match(await refusal({ url: "file:///etc/passwd" }), /only http/);
  for (const user of ["me:pw", "me", ":pw"]) {
    assert.match(await refusal({ url: `http://${user}@example.com/` }), /user name or password/);
  }
  assert.match(
    await refusal({ url: "http://example.com/", body: "x" }),
    /A GET request has no body/,
  );
  for (const name of ["Host", "Content-Length", "transfer-encoding", "Connection"]) {
    assert.equal(
      await refusal({ url: "http://example.com/", headers: { [name]: "x" } }),
      `The header "${name}" cannot be set.`,
    );
  }
  assert.match(
    await refusal({ url: "http://example.com/", headers: { "a b": "x" } }),
    /is not a valid header name/,
  );
  assert.match(
    await refusal({ url: "http://example.com/", headers: { a: "x\r\nHost: y" } }),
    /characters that are not allowed/,
  );
});

Deno.test("http_request refuses closed addresses in every way of writing them", async () => {
  const hosts = [
    "169.254.169.254",
    "2852039166",
    "0xA9FEA9FE",
    "0251.0376.0251.0376",
    "169.254.43518",
    "[::ffff:169.254.169.254]",
    "[fe80::1]",
    "[fd00:ec2::254]",
    "100.100.100.200",
    "0.0.0.0",
    "0",
    "[::]",
    "metadata.google.internal",
    "METADATA.google.internal.",
    "１６９.254.169.254",
  ];
  for (const host of hosts) {
    assert.match(
      await refusal({ url: `http://${host}/latest/meta-data/` }),
      /are closed to agents|is closed to agents/,
      host,
    );
  }
});

Deno.test("http_request checks the address that the connection goes to", async () => {
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
    assert.equal(
      closed,
      "Cannot request rebind.example.com: link-local, cloud metadata and reserved addresses are closed to agents.",
    );
  }
  assert.match(
    await refusal({ url }, { policy: { deny: ["private"] }, options: resolveTo("127.0.0.1") }),
    /closes private addresses/,
  );
  assert.match(
    await ask({ url }, {
      policy: { deny: ["private"], allow: ["rebind.example.com"] },
      options: resolveTo("127.0.0.1"),
    }),
    /reached$/,
  );
  assert.match(
    await refusal({ url }, { policy: { deny: ["example.com"] }, options: resolveTo("127.0.0.1") }),
    /http\.deny in config\.yaml closes example\.com/,
  );
  // Asked anew for each connection: the first answer counts for nothing the second time.
  const answers = ["127.0.0.1", "169.254.169.254"];
  const turning: HttpRequestOptions = {
    resolveHost: () => Promise.resolve([{ address: answers.shift() ?? "", family: 4 }]),
  };
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

Deno.test("http_request refuses the service's own port, also by name and by redirect", async () => {
  await using own = serve(() => new Response("own"));
  await using other = serve(() =>
    new Response(null, { status: 307, headers: { location: `${own.origin}/agents` } })
  );
  const policy = { ownPorts: () => [own.port] };
  for (
    const url of [
      own.origin,
      `http://localhost:${own.port}`,
      `http://[::ffff:127.0.0.1]:${own.port}`,
      other.origin,
    ]
  ) {
    assert.match(await refusal({ url }, { policy }), /this is the service's own port/, url);
  }
  assert.equal(own.seen.length, 0);
});

Deno.test("http_request follows five redirects, each of them checked", async () => {
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
  assert.match(
    await refusal({ url: `${bad.origin}/?to=http://169.254.169.254/x` }),
    /are closed to agents/,
  );
  assert.match(
    await refusal({ url: `${bad.origin}/?to=file:///etc/passwd` }),
    /it is not an http or https address/,
  );
  assert.match(
    await refusal({ url: `${bad.origin}/?to=http://%2500/` }),
    /it is not an http or https address/,
  );
});

Deno.test("http_request takes keys to no other origin", async () => {
  await using far = serve((request) => Response.json(Object.fromEntries(request.headers)));
  await using near = serve((request) =>
    new URL(request.url).pathname === "/far"
      ? new Response(null, { status: 307, headers: { location: far.origin } })
      : new URL(request.url).pathname === "/near"
      ? new Response(null, { status: 307, headers: { location: "/echo" } })
      : Response.json(Object.fromEntries(request.headers))
  );
  const headers = {
    "Authorization": "Bearer k",
    "Cookie": "c=1",
    "X-API-Key": "k",
    "Accept-Language": "de",
  };
  const crossed = await ask({ url: `${near.origin}/far`, headers });
  assert.doesNotMatch(crossed, /accept-language/);
  assert.ok(!/authorization|cookie|api-key/.test(crossed), crossed);
  assert.match(await ask({ url: `${near.origin}/near`, headers }), /"authorization":"Bearer k"/);
});

Deno.test("http_request sends a redirected POST again with its body, as a GET without one, or not at all", async () => {
  await using site = serve(async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname !== "/end") {
      const location = `http://me:pw@${new URL(request.url).host}/end`;
      return new Response(null, { status: Number(pathname.slice(1)), headers: { location } });
    }
    const { headers } = request;
    return new Response(
      [
        request.method,
        await request.text(),
        headers.get("content-type"),
        headers.get("authorization"),
      ]
        .join(),
    );
  });
  const expected: Record<number, string> = {
    301: "GET,,,",
    303: "GET,,,",
    304: "",
    307: "POST,b,text/plain; charset=utf-8,",
    308: "POST,b,text/plain; charset=utf-8,",
  };
  for (const [status, reply] of Object.entries(expected)) {
    const said = await ask({ url: `${site.origin}/${status}`, method: "POST", body: "b" });
    assert.ok(said.endsWith(`\n\n${reply || "(The body is empty.)"}`), said);
    // What a redirect brings along as a user name and password is not sent, and not shown.
    if (reply !== "") assert.ok(said.includes(`\nredirected to: ${site.origin}/end\n`), said);
  }
});

Deno.test("http_request reads a page in the encoding that only the page itself declares", async () => {
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

Deno.test("http_request shows 20,000 characters, reads 1 MB, and describes what is binary", async () => {
  let sent = 0;
  await using site = serve((request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/long") return new Response("ä".repeat(30_000));
    if (pathname === "/image") {
      return new Response(new Uint8Array(2_000), { headers: { "content-type": "image/png" } });
    }
    if (pathname === "/latin") {
      return new Response(new Uint8Array([0xe9]), {
        headers: { "content-type": "text/plain; charset=iso-8859-1" },
      });
    }
    if (pathname === "/bomb") {
      return new Response(new Uint8Array(gzipSync(new Uint8Array(50_000_000).fill(65))), {
        headers: { "content-encoding": "gzip", "content-type": "text/plain" },
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
  assert.match(long, /\n\(The body is cut here: 20000 characters are shown of 60000 bytes\./);
  assert.match(
    await ask({ url: `${site.origin}/image` }),
    /\n\n\(The body is binary: image\/png, 2000 bytes\.\)$/,
  );
  assert.match(await ask({ url: `${site.origin}/latin` }), /\n\né$/);
  assert.match(
    await ask({ url: `${site.origin}/bomb` }),
    /20000 characters are shown of more than 1048576 bytes/,
  );
  assert.match(await ask({ url: `${site.origin}/endless` }), /more than 1048576 bytes/);
  assert.ok(sent < 20_000_000, `${sent} bytes were taken`);
  assert.match(
    await ask({ url: `${site.origin}/long`, method: "HEAD" }),
    /^200 OK\n[^]*\(The body is empty\.\)$/,
  );
});

Deno.test("http_request says what went wrong with the connection", async () => {
  const gone = serve(() => new Response());
  const { origin } = gone;
  await gone[Symbol.asyncDispose]();
  assert.match(
    await refusal({ url: origin }),
    /^Cannot request 127\.0\.0\.1:\d+: nothing listens there \(connection refused\)\.$/,
  );
  const unknown: HttpRequestOptions = {
    resolveHost: () =>
      Promise.reject(Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" })),
  };
  assert.equal(
    await refusal({ url: "http://nowhere.example.com/" }, { options: unknown }),
    "Cannot request nowhere.example.com: the host name is unknown.",
  );
  using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const garbling = (async () => {
    const connection = await listener.accept();
    await connection.write(new TextEncoder().encode("no http at all\r\n\r\n"));
    connection.close();
  })();
  assert.match(
    await refusal({ url: `http://127.0.0.1:${listener.addr.port}/` }),
    /^Cannot request 127\.0\.0\.1:\d+: /,
  );
  await garbling;
});

/** A server that takes the request and says no more. */
async function silence(
  during: (url: string, asked: Promise<void>) => Promise<void>,
): Promise<void> {
  const asked = Promise.withResolvers<void>();
  const end = Promise.withResolvers<Response>();
  await using site = serve(() => {
    asked.resolve();
    return end.promise;
  });
  try {
    await during(site.origin, asked.promise);
  } finally {
    end.resolve(new Response());
  }
}

Deno.test("http_request gives up after its time", async () => {
  await silence(async (url, asked) => {
    await using fixture = await SandboxFixture.open();
    const clock = new TestClock();
    const tool = createHttpRequest(OPEN_POLICY);
    const failure = failureOf(call(tool, { url }, testContext(fixture.sandbox(), { clock })));
    await asked;
    await clock.advance(30_000);
    assert.equal(await failure, "No complete reply came within 30 seconds.");
    assert.equal(clock.sleeping, 0);
  });
});

Deno.test("http_request ends with the reason when it is cancelled", async () => {
  await silence(async (url, asked) => {
    await using fixture = await SandboxFixture.open();
    const controller = new AbortController();
    const clock = new TestClock();
    const outcome = call(
      createHttpRequest(OPEN_POLICY),
      { url },
      testContext(fixture.sandbox(), { signal: controller.signal, clock }),
    );
    const reason = new Error("Cancelled by user");
    asked.then(() => controller.abort(reason));
    await assert.rejects(outcome, reason);
    assert.equal(clock.sleeping, 0);
  });
});

Deno.test("http_request leaves no half of a secret where it cuts a reply, or the address of a redirect", async () => {
  const value = "sekret-value-1234567890";
  await using fixture = await SandboxFixture.open();
  const context = testContext(fixture.sandbox(), { secrets: [{ name: "APP_TOKEN", value }] });
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
      result.indexOf("\n(The body is cut here: "),
    );
    assert.equal(body.slice(shift).replaceAll(value, ""), "");
    assert.match(result, new RegExp(`cut here: ${body.length} characters are shown of `));
  }
  const failure = await failureOf(call(tool, { url: `${site.origin}/away` }, context));
  assert.equal(failure.replaceAll(value, "").match(/"(.*)"/)?.[1], "ftp:");
});

Deno.test("http_request sends a body of at most a megabyte", async () => {
  await using site = serve(async (request) => new Response(String((await request.text()).length)));
  const most = "x".repeat(1024 * 1024);
  assert.match(await ask({ url: site.origin, method: "POST", body: most }), /\n\n1048576$/);
  assert.equal(
    await refusal({ url: site.origin, method: "POST", body: `${most}x` }),
    "The body has 1025 KB; a request may have 1024 KB.",
  );
  assert.equal(site.seen.length, 1);
});
