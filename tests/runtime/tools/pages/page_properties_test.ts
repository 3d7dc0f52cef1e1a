// Tests properties of the conversion with random pages.
import assert from "node:assert/strict";
import fc from "fast-check";
import { toReadable } from "../../../../runtime/tools/pages/readable_text.ts";

const read = async (source: string) =>
  (await toReadable(source, { type: "text/html", url: "https://site.example/a/" }))?.text ?? "";

const element = (name: string, inner: fc.Arbitrary<string>, attributes = "") =>
  inner.map((text) => `<${name}${attributes}>${text}</${name}>`);
const several = (one: fc.Arbitrary<string>) =>
  fc.array(one, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(" "));

/** Random content. Each `@` becomes a word of its own. */
const { content } = fc.letrec<{ content: string; inline: string }>((tie) => ({
  inline: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constant("@"),
    ...["b", "em", "span", "code", "sup", "del"].map((name) => element(name, tie("inline"))),
    element("a", tie("inline"), ' href="/x y?z=(1)"'),
  ),
  content: several(fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    tie("inline"),
    ...["p", "h2", "pre"].map((name) => element(name, several(tie("inline")))),
    ...["div", "section", "blockquote", "article", "figure", "center"].map((name) =>
      element(name, tie("content"))
    ),
    element("ul", several(element("li", tie("content")))),
    element("ol", several(element("li", tie("content")))),
    element("dl", several(element("dt", tie("inline")))),
    element("table", several(element("tr", several(element("td", tie("content")))))),
  )),
}));

Deno.test("toReadable() keeps all words of the main part in their order", async () => {
  await fc.assert(
    fc.asyncProperty(content, async (template) => {
      let count = 0;
      const source = template.replaceAll("@", () => `word${++count}x`);
      const text = await read(`<body><main>${source}</main></body>`);
      const found = [...text.matchAll(/word(\d+)x/g)].map(([, number]) => Number(number));
      assert.deepEqual(
        found,
        Array.from({ length: count }, (_, at) => at + 1),
        `${source}\n${text}`,
      );
    }),
    { numRuns: 150 },
  );
});

const TAGS =
  ("<p>|</p>|<div hidden>|</div>|<a href=x>|</a>|<table>|<tr>|<td>|</td>|</table>|<ul>|" +
    "<li>|</ul>|<pre>|</pre>|<h1>|<nav>|</nav>|<svg>|</svg>|<script>|</script>|<title>|" +
    "</title>|<!--|-->|<head>|<body>|<br>|<main>|</main>|<iframe src=y>|<img alt=z src=q>|" +
    "&amp|&#xd800;|<|text |<base href='//['>").split("|");

Deno.test("toReadable() converts any sequence of tags, and never shows a script", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...TAGS), { maxLength: 60 }),
      async (tags) => {
        // These marks close everything that the tags have opened.
        const end = `"'>--></title></script></iframe>`;
        const text = await read(`${tags.join("")}${end}<script>secretScript()</script>`);
        assert.ok(!text.includes("secretScript"), text);
      },
    ),
    { numRuns: 250 },
  );
});

Deno.test("toReadable() ends a link without an end at the next link, and cells and items at the next ones", async () => {
  assert.equal(
    await read("<p><a href=/x>one <p>two <a href=/y>three</a> four"),
    "[one two](https://site.example/x) [three](https://site.example/y) four",
  );
  assert.equal(await read("<table><tr><td>a<td>b<tr><td>c<td>d</table>"), table("a b", "c d"));
  assert.equal(await read("<ul><li>a<ul><li>b</ul><li>c"), "- a\n  - b\n- c");
});

const table = (first: string, second: string) =>
  [first, "--- ---", second].map((row) => `| ${row.split(" ").join(" | ")} |`).join("\n");

Deno.test("toReadable() keeps only the text of an unknown element, whatever its name is", async () => {
  const source = "<main><p>one <constructor>two</constructor> <x-y>three</x-y></p></main>";
  assert.equal((await read(source)).trim(), "one two three");
});
