// Tests that no page takes long to convert, and that other work runs meanwhile.
import assert from "node:assert/strict";
import { toReadable } from "../../../../runtime/tools/pages/readable_text.ts";
import { nextSlice } from "../../../../base/slices.ts";

const fill = (unit: string, size: number) => unit.repeat(Math.ceil(size / unit.length));
const LONG = 400_000;
const N = 100_000;

const HOSTILE: Record<string, string> = {
  "long text": fill(
    "<p>Some <b>text</b> with <a href='/x?y=1'>a link</a> &amp; more.</p>\n",
    LONG,
  ),
  "100,000 nested elements": "<div>".repeat(N) + "x" + "</div>".repeat(N),
  "100,000 nested lists": fill("<ul><li>", 8 * N) + "x",
  "100,000 nested tables": "<table><tr><td>x".repeat(N) + "</td></tr></table>".repeat(N),
  "text in nested quotes": fill("<blockquote>", 12 * 200) + fill("a<br>", LONG),
  "tags that end nothing": "<i>".repeat(300) + fill("</div></p></x>", LONG),
  "rows": `<table>${fill("<tr><td>a<td>b", LONG)}`,
  "an address": `<a href='${fill("x", LONG)}'>t</a>`,
  "attributes": `<a ${fill("x y=1 ", LONG)}>t</a>`,
  "comments": fill("<!--x-->", LONG),
  "beginnings of tags": `<p>${fill("<", LONG)}`,
  "spaces in code": `<table><tr><td>a<td><pre>${fill(" ", LONG)}x</pre><tr><td>1<td>2</table>`,
  "a long heading": `<h1>${fill("x\n", LONG)}`,
  "entries of a feed": `<rss>${fill("<item><title>x</title></item>", LONG)}</rss>`,
  "nested entries of a feed": `<rss>${fill("<item><content>", LONG)}`,
};

for (const [name, source] of Object.entries(HOSTILE)) {
  Deno.test(`toReadable() converts a hostile page, or gives it up: ${name}`, async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    // A generous limit for a busy machine: the conversion gives up after half a second of computing.
    const late = setTimeout(() => assert.fail("the conversion does not end"), 60_000);
    await nextSlice();
    const convert = () => toReadable(source, { type: "text/html", url: "https://site.example/" });
    let result = await convert();
    // A page that is given up within one slice leaves no time for other work, so it is converted again.
    for (let i = 0; i < 1_000 && turns === 0; i++) result = await convert();
    clearInterval(timer);
    clearTimeout(late);
    assert.match(result?.about.at(-1) ?? "", /^body: /);
    assert.ok(turns > 0, "no other work ran");
  });
}
