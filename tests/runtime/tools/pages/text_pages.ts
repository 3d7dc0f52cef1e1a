// Saved pages whose main part is a text.
import {
  BESIDE,
  FOOTER,
  html,
  links,
  page,
  paragraphs,
  prose,
  type SavedPage,
  SCRIPT,
  TABLE,
  TABLE_TEXT,
  times,
} from "./page_shell.ts";

export const TEXT_PAGES: readonly SavedPage[] = [
  html(
    "news article",
    page(
      { title: "Bridge opens" },
      `<main><article><h1>Bridge opens</h1><p>By <a href="/authors/kim">Kim</a></p><figure><img src="/b.jpg" alt="The bridge"><figcaption>Seen from the east</figcaption></figure>${
        paragraphs(8)
      }<div class="share-buttons"><a href="/s1">Share A</a> <a href="/s2">Share B</a></div></article><section class="related"><ul>${
        links(6, "Related")
      }</ul></section></main>`,
    ),
    [
      "# Bridge opens",
      "[Kim](https://site.example/authors/kim)",
      "![The bridge](https://site.example/b.jpg)",
      "Seen from the east",
    ],
    [...BESIDE, "Trending 2", "Share A", "Related 4"],
  ),
  html(
    "blog post without main",
    page(
      { title: "My week" },
      `<div id="content"><div class="post"><h2>My week</h2>${
        paragraphs(4)
      }<blockquote><p>Slow is smooth.</p></blockquote></div><div id="comments"><h3>2 comments</h3><div class="comment"><p>Ann: I agree with the part about ferries.</p></div></div></div>`,
    ),
    ["## My week", "> Slow is smooth.", "Ann: I agree"],
    [...BESIDE, "Trending 2"],
  ),
  html(
    "blog with the title in the page's header",
    `<html><head><title>Notes</title></head><body><header><h1>Notes on ferries</h1><p>by Kim, May 2</p></header>${
      paragraphs(3)
    }${FOOTER}</body></html>`,
    ["# Notes on ferries", "by Kim, May 2"],
    ["Imprint 3"],
  ),
  html(
    "documentation",
    page(
      { title: "Options", side: `<div class="sidebar-toc">${links(80, "Chapter")}</div>` },
      `<div role="main"><nav class="breadcrumbs"><a href="/">Docs</a> / <a href="/o">Options</a></nav><h1>Options <a class="anchor" href="#options">#</a></h1><p>Set <code>size</code>:</p><pre><code class="language-sh">tool --size 10 \\\n  --color red &amp;&amp; echo done</code></pre><aside class="note"><p>Version 2 and later.</p></aside>${TABLE}<ol start="3"><li>Install it<ul><li>on Linux</li><li>on macOS</li></ul></li><li>Run it</li></ol></div>`,
    ),
    [
      "# Options\n",
      "```sh\ntool --size 10 \\\n  --color red && echo done\n```",
      "Version 2 and later.",
      TABLE_TEXT,
      "3. Install it\n   - on Linux\n   - on macOS\n4. Run it",
    ],
    [...BESIDE, "Chapter 9"],
  ),
  html(
    "generated reference",
    page(
      { title: "Class Ferry" },
      `<main><h1>Class <span>Ferry</span></h1><pre class="rust"><span class="k">pub struct</span> <span>Ferry</span> {\n    <span>speed</span>: u32,\n}</pre><dl><dt>speed</dt><dd><p>Knots.</p></dd><dt>name<dd>Its name.</dl>${
        times(40, (at) => `<section><h3>method_${at}</h3><p>${prose(2)}</p></section>`)
      }</main>`,
    ),
    ["pub struct Ferry {\n    speed: u32,\n}", "**speed**\n", ": Its name.", "### method_40"],
  ),
  html(
    "shop: product",
    page(
      {
        title: "Lamp",
        head: `<script type="application/ld+json">{"@type":"Product","price":"19.90"}</script>`,
      },
      `<main><h1>Desk lamp</h1><p class="price"><del>24.90 EUR</del> <strong>19.90 EUR</strong></p><form><select><option>White</option></select><input name="n"><button>Add to cart</button></form><table><tr><th>Weight</th><td>1.2 kg</td></tr><tr><th>Height</th><td>42 cm</td></tr></table><p>${
        prose(6)
      }</p><div class="recommendations"><ul>${links(8, "Bestseller")}</ul></div></main>`,
    ),
    ["~~24.90 EUR~~ **19.90 EUR**", "| Weight | 1.2 kg |"],
    [...BESIDE, "Add to cart", "Bestseller 4"],
  ),
  html(
    "shop: list of products",
    page(
      { title: "Lamps" },
      `<main><h1>Lamps</h1><div class="grid">${
        times(24, (at) =>
          `<div class="card"><a href="/lamp/${at}"><img src="/l.jpg" alt=""><h3>Lamp ${at}</h3></a><span class="price">${at}.90 EUR</span></div>`)
      }</div></main>`,
    ),
    ["[Lamp 7](https://site.example/lamp/7)", "7.90 EUR"],
  ),
  html(
    "forum thread",
    page(
      { title: "Ferry times" },
      `<main><h1>Ferry times?</h1>${
        times(15, (at) =>
          `<article class="post"><header><a href="/u/${at}">user${at}</a> <time>2 May</time></header><p>Answer ${at}: ${
            prose(2)
          }</p><footer><button>Like</button></footer></article>`)
      }</main>`,
    ),
    ["[user9](https://site.example/u/9) 2 May", "Answer 15: The river"],
    [...BESIDE, "Like"],
  ),
  html(
    "forum of old days",
    `<HTML><HEAD><TITLE>Board</TITLE></HEAD><BODY bgcolor=white><TABLE><TR><TD><FONT size=2><A HREF="index.php?a=1&b=2">Index</A></FONT><TR><TD>${
      times(
        10,
        (at) => `<TABLE><TR><TD><B>user${at}</B><TD>Post ${at}:<BR>${prose(3)}<P>Bye</TABLE>`,
      )
    }</TABLE></BODY></HTML>`,
    ["**user3**", "Post 3:\nThe river", "[Index](https://site.example/index.php?a=1&b=2)"],
    ["FONT"],
  ),
  html(
    "only script, with a notice",
    `<html><head><title>App</title>${SCRIPT}</head><body><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div>${SCRIPT}</body></html>`,
    [
      "(The page has no text: it is only script",
      "It says without scripts: You need to enable JavaScript",
    ],
  ),
  html(
    "only script, with a description",
    `<html><head><title>Shop</title><meta property="og:description" content="Lamps &amp; more"></head><body><div id="__next"></div><script id="__NEXT_DATA__" type="application/json">{"a":1}</script></body></html>`,
    ["it is only script", "It describes itself: Lamps & more"],
    ["__NEXT"],
  ),
  html(
    "encyclopedia",
    page(
      { title: "Ferry - Encyclopedia" },
      `<main><h1>Ferry</h1><table class="infobox"><tr><th colspan="2">Ferry</th></tr><tr><th>Type</th><td>Ship</td></tr></table><p>A <b>ferry</b> is a <a href="/wiki/Ship" title="Ship">ship</a>.<sup id="r1"><a href="#n1">[1]</a></sup> It holds 10<sup>6</sup> litres.</p><div id="toc" class="toc"><ul><li><a href="#h">History</a></li><li><a href="#u">Use</a></li><li><a href="#e">End</a></li></ul></div><h2>History <span class="edit">[<a href="/edit">edit</a>]</span></h2>${
        paragraphs(10)
      }</main>`,
    ),
    [
      "A **ferry** is a [ship](https://site.example/wiki/Ship).[1] It holds 10^6 litres.",
      "| Type | Ship |",
      "## History",
    ],
  ),
  html(
    "front page of a newspaper",
    page(
      { title: "The Daily" },
      `<div class="front">${
        times(40, (at) =>
          `<div class="teaser"><h3><a href="/story/${at}">A story with a long headline, number ${at}</a></h3><p>${
            at % 3 === 0 ? prose(1) : ""
          }</p></div>`)
      }</div>`,
    ),
    [
      "### [A story with a long headline, number 40](https://site.example/story/40)",
    ],
  ),
  html(
    "list of links in tables",
    `<html><body><center><table id="hnmain"><tr><td><table><tr><td><b><a href="news">Links</a></b></td></tr></table></td></tr><tr><td><table>${
      times(30, (at) =>
        `<tr><td>${at}.</td><td><a href="vote?id=${at}"><div class="arrow"></div></a></td><td><a href="https://other.example/${at}">A title number ${at} about boats</a> <span>(<a href="from">other.example</a>)</span></td></tr><tr><td colspan="2"></td><td>${at} points by <a href="user?id=k">k</a></td></tr>`)
    }</table></td></tr></table></center></body></html>`,
    ["[A title number 30 about boats](https://other.example/30)", "30 points by"],
    [],
  ),
];
