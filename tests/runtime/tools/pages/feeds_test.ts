// Tests the text that http_request returns for feeds.
import assert from "node:assert/strict";
import { ask, serve } from "../builtin/http_site.ts";

const RSS = `<?xml version="1.0" encoding="utf-8"?><?xml-stylesheet href="s.xsl"?>
<!-- made by hand --><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>
<title>Ferry news</title><link>https://f.example/</link><image><title>Logo</title><url>l.png</url></image>
<item><title>The &amp; first</title><link>https://f.example/1</link><pubDate>Mon, 05 May 2025 08:00:00 GMT</pubDate>
<dc:creator>Kim</dc:creator><description><![CDATA[<p>A <b>long</b> day.<script>x()</script></p>]]></description>
<enclosure url="https://f.example/1.mp3" type="audio/mpeg"/></item>
<item><title>Second</title><guid>https://f.example/2</guid><description>&lt;p&gt;${
  "word ".repeat(400)
}&lt;/p&gt;</description></item></channel></rss>`;
const ATOM =
  `<feed xmlns="http://www.w3.org/2005/Atom"><title>Notes</title><author><name>Ann</name></author>
<entry><title type="html">&lt;i&gt;One&lt;/i&gt;</title><link rel="edit" href="/e"/><link href="/notes/1"/>
<updated>2025-05-05T08:00:00Z</updated><author><name>Bo</name></author><content type="xhtml"><div>Deep <b>text</b></div></content></entry></feed>`;
const JSON_FEED = JSON.stringify({
  version: "https://jsonfeed.org/version/1.1",
  title: "Days",
  items: [{
    id: "1",
    url: "https://j.example/1",
    title: "Day 1",
    content_html: "<p>Sun</p>",
    date_published: "2025-05-05",
    authors: [{ name: "Cy" }],
  }],
});
const FEEDS: Record<string, [type: string, body: string]> = {
  rss: ["application/rss+xml", RSS],
  "rss as text": ["text/xml", RSS],
  atom: ["application/atom+xml", ATOM],
  json: ["application/json", JSON_FEED],
  other: ["application/xml", "<config><item>1</item></config>"],
  data: ["application/json", '{"items": [{"title": "no feed"}]}'],
  "data as page": ["text/html", ' {"text":\n "<b>bold</b>"}'],
  "text as page": ["text/html", "one\ntwo < 3\n"],
};
const read = async (name: string, more: Record<string, unknown> = {}) => {
  const [type, body] = FEEDS[name]!;
  await using site = serve(() => new Response(body, { headers: { "content-type": type } }));
  const shown = await ask({ url: site.origin, ...more });
  return shown.slice(shown.indexOf("\n", shown.indexOf("content-length")) + 1).replaceAll(
    site.origin,
    "https://s.example",
  );
};

Deno.test("http_request returns an RSS feed as its entries", async () => {
  for (const name of ["rss", "rss as text"]) {
    const text = await read(name);
    assert.match(
      text,
      /^title: Ferry news\nbody: a feed of 2 entries as text, \d+ characters from \d+ of source; raw: true returns the source\n\n/,
    );
    assert.ok(
      text.includes(
        "## The & first\nhttps://f.example/1\nMon, 05 May 2025 08:00:00 GMT\nby Kim\nhttps://f.example/1.mp3\nA **long** day.\n\n## Second\nhttps://f.example/2\nword word",
      ),
      text,
    );
    assert.ok(text.endsWith("…"), text);
    assert.ok(text.length < 1_200);
  }
});

Deno.test("http_request returns an Atom feed and a JSON feed as their entries", async () => {
  assert.ok(
    (await read("atom")).endsWith(
      "## One\nhttps://s.example/notes/1\n2025-05-05T08:00:00Z\nby Bo\nDeep text",
    ),
  );
  assert.ok((await read("json")).endsWith("## Day 1\nhttps://j.example/1\n2025-05-05\nby Cy\nSun"));
});

Deno.test("http_request returns other XML and JSON, and the source of a feed, as they are", async () => {
  assert.equal(await read("other"), `\n${FEEDS["other"]![1]}`);
  for (const name of ["data", "data as page", "text as page"]) {
    assert.equal(await read(name), `\n${FEEDS[name]![1]}`);
  }
  assert.equal(await read("atom", { raw: true }), `\n${ATOM}`);
});
