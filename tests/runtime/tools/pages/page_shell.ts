// Builds pages with the shapes of real ones: navigation, scripts, banners and lists of links surround the text.

/** A page, the texts that a reader needs, and texts beside them. */
export interface SavedPage {
  name: string;
  body: string;
  keeps: readonly string[];
  drops: readonly string[];
}

const SENTENCES = [
  "The river rises in the hills above the town and turns east after the old mill.",
  "Most visitors arrive in spring, when the meadows along the bank are in flower.",
  "A new bridge was finished two years ago, after a long debate about its cost.",
  "The water level is measured every hour, and the figures are published the next day.",
  "In dry summers the ferry does not run, and a bus takes passengers to the other side.",
];

/** Returns a text of this many sentences. */
export const prose = (count: number): string =>
  Array.from({ length: count }, (_, at) => SENTENCES[at % SENTENCES.length]).join(" ");
export const paragraphs = (count: number): string => `<p>${prose(5)}</p>\n`.repeat(count);
export const times = (count: number, write: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => write(at + 1)).join("\n");
export const links = (count: number, label: string): string =>
  times(count, (at) => `<li><a href="/${label.toLowerCase()}/${at}">${label} ${at}</a></li>`);

export const SCRIPT = `<script>window.dataLayer=[];${
  'function track(e){if(e<1){dataLayer.push({event:e,page:"x"})}};'.repeat(120)
}</script><style>${".card{display:flex;padding:4px;color:#333}".repeat(150)}</style>`;
const ICON = `<svg viewBox="0 0 24 24"><path d="${"M3 12h18v2H3z".repeat(20)}"/></svg>`;
const COOKIES =
  `<div id="cookie-banner" class="consent"><p>We use cookies to improve this site.</p><button>Accept all</button></div>`;

const MENU = `<nav class="main-nav">${ICON}<ul>${links(30, "Section")}</ul></nav>`;
export const FOOTER = `<footer><ul>${
  links(20, "Imprint")
}</ul><p>All rights reserved by the publisher.</p></footer>`;
const SIDEBAR = `<aside class="sidebar"><h3>Most read</h3><ul>${
  links(12, "Trending")
}</ul></aside>`;
export const BESIDE = ["Section 7", "Imprint 3", "cookies", "dataLayer"];

export interface Shell {
  title: string;
  head?: string;
  side?: string;
}

/** Returns a page around its content. */
export const page = ({ title, head = "", side = SIDEBAR }: Shell, content: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>${head}${SCRIPT}</head>` +
  `<body>${COOKIES}<a class="skip-link" href="#content">Skip to content</a><header>${MENU}</header>\n${content}\n${side}${FOOTER}${SCRIPT}</body></html>`;

export const TABLE =
  `<table><thead><tr><th>Option</th><th>Default</th></tr></thead><tbody><tr><td><code>size</code></td><td>10 | 20</td></tr><tr><td>color</td><td>red<br>green</td></tr></tbody></table>`;
export const TABLE_TEXT =
  "| Option | Default |\n| --- | --- |\n| `size` | 10 \\| 20 |\n| color | red <br> green |";

export const html = (
  name: string,
  body: string,
  keeps: readonly string[],
  drops: readonly string[] = BESIDE,
): SavedPage => ({ name, body, keeps, drops });

export const layoutTable = (content: string): string =>
  `<table width="600"><tr><td><table><tr><td>${content}</td></tr></table></td></tr></table>`;
