// Sources that fail, refuse, answer with too much or change at every check, and feeds of all forms.
import assert from "node:assert/strict";
import { Site, TEXT } from "./site.ts";

const PHONE =
  "notify: { channels: { phone: { type: ntfy, topic: t, url: 'http://127.0.0.1:9' } } }\n";

const messagesOf = (site: Site) =>
  site.live.place.all<{ title: string; body: string }>(
    "SELECT title, body FROM outbox ORDER BY id",
  );

Deno.test("a message goes out once after max_failures failed checks, also after a restart, and again after a recovery", async () => {
  await using site = await Site.open({ config: PHONE });
  await site.write("max_failures: 3");
  await site.start();
  await site.check();
  const fail = async (times: number) => {
    site.answer = () => new Response("down", { status: 503 });
    for (let at = 0; at < times; at++) await site.check();
  };
  await fail(2);
  assert.deepEqual(await messagesOf(site), []);
  await site.live.close();
  await site.start();
  await fail(1);
  const [first, ...others] = await messagesOf(site);
  assert.deepEqual(others, []);
  assert.equal(first?.title, "news: 3 checks in a row failed");
  assert.match(first?.body ?? "", /not run: the check failed: the answer is 503/);
  await site.live.close();
  await site.start();
  await fail(4);
  assert.equal((await messagesOf(site)).length, 1);
  site.show("two");
  assert.equal(await site.check(), null);
  await fail(2);
  assert.equal((await messagesOf(site)).length, 1);
  await fail(1);
  assert.equal((await messagesOf(site)).length, 2);
  assert.equal((await site.turns()).length, 1);
});

Deno.test("a private address is refused, also after a redirect", async () => {
  const config = "http: { deny: [private], allow: [localhost] }\n";
  await using site = await Site.open({ config });
  await site.write();
  await site.start();
  assert.match(
    await site.check() ?? "",
    /^the check failed: Cannot request 127.0.0.1.*closes private addresses/,
  );
  assert.equal(site.requests.length, 0);
  const inner = site.url;
  site.answer = () => new Response(null, { status: 302, headers: { location: inner } });
  await site.write("url: " + JSON.stringify(inner.replace("127.0.0.1", "localhost")));
  await site.live.runtime.reloadAgents();
  assert.match(await site.check() ?? "", /Cannot request 127.0.0.1.*closes private addresses/);
  site.answer = () =>
    new Response(null, { status: 302, headers: { location: "http://169.254.169.254/keys" } });
  assert.match(await site.check() ?? "", /Cannot request 169.254.169.254/);
  site.answer = () =>
    new Response(null, { status: 302, headers: { location: "file:///etc/passwd" } });
  assert.match(await site.check() ?? "", /it is not an http or https address/);
  site.answer = (request) =>
    new Response(null, { status: 302, headers: { location: request.url } });
  assert.match(await site.check() ?? "", /more than 5 redirects/);
  assert.deepEqual(await site.turns(), []);
});

Deno.test("an answer of 1 GB is a failed check, and is not read to its end", async () => {
  await using site = await Site.open();
  await site.write();
  await site.start();
  await site.check();
  const block = new Uint8Array(1024 * 1024);
  let sent = 0;
  site.answer = () =>
    new Response(
      new ReadableStream({
        pull(stream) {
          if (sent++ < 1_024) stream.enqueue(block);
          else stream.close();
        },
      }),
      { headers: TEXT },
    );
  assert.match(await site.check() ?? "", /the content has more than 5 MB/);
  assert.ok(sent < 200, `${sent} MB were read`);
  assert.deepEqual(await site.turns(), []);
});

Deno.test("headers do not follow a redirect to another site", async () => {
  await using site = await Site.open();
  await site.write("headers: { X-Token: '${SITE_TOKEN}' }");
  site.live.place.shell["SITE_TOKEN"] = "geheim";
  const other = site.url.replace("127.0.0.1", "localhost");
  site.answer = (request) =>
    request.url === site.url
      ? new Response(null, { status: 302, headers: { location: other } })
      : new Response("one", { headers: TEXT });
  await site.start();
  assert.equal(await site.check(), "the first check");
  assert.deepEqual(site.requests.map((headers) => headers.get("x-token")), ["geheim", null]);
});

/** The feeds of three formats with entries of these numbers, newest first. */
const FEEDS: Record<string, (numbers: readonly number[]) => [text: string, type: string]> = {
  "RSS": (numbers) => [
    `<?xml version="1.0"?><rss xmlns:itunes="i"><channel><title>News</title>${
      numbers.map((n) =>
        `<item><guid>g${n}</guid><title>Entry ${n}</title><itunes:title>Entry ${n}</itunes:title>` +
        `<link>https://a.example/${n}</link></item>`
      ).join("")
    }</channel></rss>`,
    "application/rss+xml",
  ],
  "Atom": (numbers) => [
    `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>News</title>${
      numbers.map((n) =>
        `<entry><id>urn:${n}</id><title>Entry ${n}</title><link rel="self" href="/self/${n}"/>` +
        `<link href="https://a.example/${n}"/><updated>2026-01-0${n}T00:00:00Z</updated>` +
        `<source><id>urn:of-all</id><title>Elsewhere</title></source></entry>`
      ).join("")
    }</feed>`,
    "application/atom+xml",
  ],
  "JSON Feed": (numbers) => [
    JSON.stringify({
      version: "https://jsonfeed.org/version/1.1",
      title: "News",
      items: numbers.map((n) => ({
        // Some programs write ids as numbers. The texts of the entries are equal.
        ...{ id: n, url: `https://a.example/${n}`, title: `Entry ${n}`, content_text: "Same" },
      })),
    }),
    "application/feed+json",
  ],
  "RSS without ids": (numbers) => [
    `<rss><channel>${
      numbers.map((n) =>
        `<item><title>Entry ${n}</title><link>https://a.example/${n}</link></item>`
      ).join("")
    }</channel></rss>`,
    "text/xml",
  ],
};

for (const [name, feedOf] of Object.entries(FEEDS)) {
  Deno.test(`${name}: each new entry starts one run, with its title and link`, async () => {
    await using site = await Site.open();
    await site.write("each: true, input: '{title} at {link}'");
    const show = (...numbers: number[]) => site.show(...feedOf(numbers));
    show(2, 1);
    await site.start();
    assert.equal(await site.check(), "the first check");
    show(4, 3, 2, 1);
    assert.equal(await site.check(), null);
    show(3, 4);
    assert.equal(await site.check(), "no change");
    const turns = (await site.turns()).map((text) => text.split("\n")[0]);
    assert.deepEqual(turns, [3, 4].map((n) => `Entry ${n} at https://a.example/${n}`));
  });
}

Deno.test("a feed that is edited in its texts only starts nothing, and a broken one is no change", async () => {
  await using site = await Site.open();
  await site.write();
  const [rss = "", type] = FEEDS["RSS"]?.([2, 1]) ?? [];
  site.show(rss, type);
  await site.start();
  await site.check();
  site.show(rss.replace("Entry 2", "Entry two"), type);
  assert.equal(await site.check(), "no change");
  site.show("<html><body>Sign in</body></html>", "text/html");
  assert.match(await site.check() ?? "", /^the check failed: .*is no feed/);
  site.show(rss, type);
  assert.equal(await site.check(), "no change");
  assert.deepEqual(await site.turns(), []);
});
