// Tests of the documentation site: it equals its sources, its links lead to existing places, and it is small and without
// inline code.
import assert from "node:assert/strict";
import { anchorOf, renderPage } from "../../site/markdown.ts";
import { packSite } from "../../site/site.ts";
import { readCommittedSite } from "./built_site.ts";
import { buildPresentSite, SERVED } from "./built_site.ts";

const FILES = readCommittedSite();
const PAGES = Object.entries(FILES).filter(([name]) => name.endsWith(".html"));
/** The maximum size of a page with its script and styles, in compressed bytes. */
const MOST_BYTES = 60_000;
/** The maximum size of the files that the first search loads, in compressed bytes. */
const MOST_SEARCH_BYTES = 150_000;

async function compressedSize(text: string): Promise<number> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return (await new Response(stream).arrayBuffer()).byteLength;
}

Deno.test("server/guide/site.json equals a new build of docs/ and site/ (deno task site writes it)", async () => {
  const fresh = await buildPresentSite();
  const names = Object.keys({ ...fresh, ...FILES });
  const different = names.filter((name) => fresh[name] !== FILES[name]);
  assert.deepEqual(different, [], "older than its sources: run `deno task site`");
  assert.ok(Deno.readTextFileSync(SERVED) === packSite(fresh));
});

Deno.test("site: every link leads to an existing file and anchor of the site", () => {
  const anchors = new Map(PAGES.map(([name, text]) => [
    name,
    new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)),
  ]));
  for (const [page, text] of PAGES) {
    for (const [, address = ""] of text.matchAll(/<a [^>]*href="([^"]+)"/g)) {
      if (/^https?:/.test(address)) continue;
      const [file = "", anchor] = address.split("#");
      const target = file === "" ? page : file;
      assert.ok(FILES[target] !== undefined, `${page}: ${address}`);
      if (anchor !== undefined) assert.ok(anchors.get(target)?.has(anchor), `${page}: ${address}`);
    }
  }
});

Deno.test("site: search.json names pages and anchors that exist", () => {
  const entries = JSON.parse(FILES["search.json"] ?? "") as string[][];
  assert.ok(entries.length > 150, `${entries.length} sections`);
  for (const [page = "", anchor = ""] of entries) {
    assert.ok(anchor === "" || FILES[page]?.includes(` id="${anchor}"`), `${page}#${anchor}`);
  }
});

Deno.test("site: no page has inline code or loads a file from elsewhere", () => {
  for (const [name, text] of PAGES) {
    assert.doesNotMatch(
      text,
      /<script(?! src="site\.js"><\/script>)|<style|<[^>]* (style|on\w+)=/,
      name,
    );
    for (
      const [, address = ""] of text.matchAll(/<(?:link|script|img)[^>]* (?:href|src)="([^"]+)"/g)
    ) {
      assert.match(address, /^(site\.(js|css)$|data:image\/svg)/, name);
    }
  }
  assert.doesNotMatch(FILES["site.css"] ?? "", /url\(|@import/);
  assert.doesNotMatch(FILES["site.js"] ?? "", /sourceMappingURL|innerHTML|\beval\b|https?:/);
});

Deno.test("site: a page with its script and styles, and the search, are small", async () => {
  const common = await compressedSize(FILES["site.js"] ?? "") +
    await compressedSize(FILES["site.css"] ?? "");
  for (const [name, text] of PAGES) {
    const size = common + await compressedSize(text);
    assert.ok(size < MOST_BYTES, `${name}: ${size} bytes`);
  }
  const search = await compressedSize(FILES["search.json"] ?? "");
  assert.ok(search < MOST_SEARCH_BYTES, `search.json: ${search} bytes`);
});

Deno.test("renderPage() escapes text, converts links, and numbers equal headings", () => {
  const markdown = [
    "# Title & more",
    "",
    "Some `<b>` and [a page](other.md#part).",
    "",
    "## Same",
    "",
    "## Same",
    "",
    "| | Name |",
    "| --- | --- |",
    "| x | `a\\|b` |",
    "",
    "```sh",
    "echo '<hi>'",
    "```",
    "",
  ].join("\n");
  const { title, html, sections } = renderPage(markdown, (target) => `to/${target}`);
  assert.equal(title, "Title & more");
  assert.match(html, /<code>&lt;b&gt;<\/code> and <a href="to\/other\.md#part">a page<\/a>/);
  assert.match(html, /<h2 id="same">Same<\/h2>\n<h2 id="same-1">/);
  assert.match(html, /<tr><td><\/td><th>Name<\/th><\/tr>/);
  assert.match(html, /data-language="sh"><pre tabindex="0"><code>echo '&lt;hi&gt;'<\/code>/);
  assert.deepEqual(sections.map(({ anchor }) => anchor), ["", "same", "same-1"]);
  assert.match(sections[2]?.text ?? "", /^Name x a\|b echo '<hi>'$/);
  assert.equal(anchorOf("What `a.b` is, and (why)"), "what-ab-is-and-why");
});
