// The HTML around the text of each page: header with search, navigation, contents, and the links to the next pages.
import { escapeHtml, type RenderedPage } from "./markdown.ts";
import { type NavigationSection, pageOrder } from "./navigation.ts";

/**
 * The page's content security policy. It allows only files of the site, and no inline script or style. The service sends
 * its own policy, too.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** The icon of the dashboard: a drop of ink. */
const ICON = [
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'>",
  "<path fill='#2f6db5' d='M16 2c5 8 9 12 9 18a9 9 0 0 1-18 0c0-6 4-10 9-18z'/>",
  "</svg>",
].join("");

const MOST_DESCRIPTION = 160;
/** The minimum number of sections for a list of the page's contents. */
const FEWEST_CONTENTS = 3;

/** Returns the HTML document of a page. */
export function framePage(
  page: RenderedPage,
  { name, version, navigation }: {
    name: string;
    version: string;
    navigation: readonly NavigationSection[];
  },
): string {
  const description = (page.sections[0]?.text ?? "").slice(0, MOST_DESCRIPTION);
  const title = name === "index.html" ? "Inkling" : `${page.title} · Inkling`;
  const lines = [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<meta name="description" content="${escapeHtml(description)}">`,
    `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON)}">`,
    `<title>${escapeHtml(title)}</title>`,
    '<link rel="stylesheet" href="site.css">',
    '<script src="site.js"></script>',
    "</head>",
    "<body>",
    '<a class="skip" href="#content">Skip to the content</a>',
    "<header>",
    `<a class="home" href="index.html">Inkling <small>${escapeHtml(version)}</small></a>`,
    '<a class="menu" href="#pages">All pages</a>',
    '<div id="search" role="search" hidden></div>',
    '<button id="theme" type="button" hidden></button>',
    "</header>",
    '<div class="columns">',
    '<main id="content" tabindex="-1">',
    ...contentsOf(page),
    page.html.trimEnd(),
    ...neighbors(name, navigation),
    "</main>",
    '<nav id="pages" aria-label="Pages">',
    ...navigation.flatMap(({ heading, links }) => [
      `<h2>${escapeHtml(heading)}</h2>`,
      "<ul>",
      ...links.map(({ title, address }) => {
        const current = address === name ? ' aria-current="page"' : "";
        return `<li><a href="${escapeHtml(address)}"${current}>${escapeHtml(title)}</a></li>`;
      }),
      "</ul>",
    ]),
    "</nav>",
    "</div>",
    "</body>",
    "</html>",
    "",
  ];
  return lines.join("\n");
}

function contentsOf({ contents }: RenderedPage): string[] {
  if (contents.length < FEWEST_CONTENTS) return [];
  return [
    '<nav class="contents" aria-label="On this page">',
    "<ul>",
    ...contents.map(({ anchor, heading }) =>
      `<li><a href="#${anchor}">${escapeHtml(heading)}</a></li>`
    ),
    "</ul>",
    "</nav>",
  ];
}

/** Returns the links to the pages before and after this one. */
function neighbors(name: string, navigation: readonly NavigationSection[]): string[] {
  const order = pageOrder(navigation);
  const at = order.findIndex(({ address }) => address === name);
  const before = at < 0 ? undefined : order[at - 1];
  const after = name === "index.html" ? order[0] : at < 0 ? undefined : order[at + 1];
  if (before === undefined && after === undefined) return [];
  const link = (one: typeof before, label: string, rel: string) =>
    one === undefined ? [] : [
      `<a rel="${rel}" href="${escapeHtml(one.address)}">` +
      `<small>${label}</small> ${escapeHtml(one.title)}</a>`,
    ];
  return [
    '<nav class="neighbors" aria-label="Next pages">',
    ...link(before, "Before:", "prev"),
    ...link(after, "Next:", "next"),
    "</nav>",
  ];
}
