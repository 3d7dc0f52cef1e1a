// Creates small HTML pages with a text or a form: the log-in, the answer links, the refusals. Each page is one file,
// because a browser without access could not load further files.
import { escapeUnseen } from "../../base/text/unseen_characters.ts";
import { htmlDocument, lazyText, pageHeaders } from "./page.ts";

/** The content of a notice page. Texts are HTML: the caller escapes foreign text. */
export interface NoticePage {
  heading: string;
  body: string;
  status: number;
  headers?: Readonly<Record<string, string>>;
  /** CSS added to the shared layout. */
  style?: string;
  script?: string;
}

const loadTheme = lazyText(() =>
  import("../dashboard/assets/theme.css", { with: { type: "text" } })
);

const LAYOUT = `
.notice { max-width: 32rem; margin: 0 auto; padding: 12vh 1.5rem 3rem; }
.notice .wordmark { font-size: 1.375rem; margin-bottom: 1.5rem; }
.notice h1 { margin-bottom: 1rem; }
.notice p, .notice pre { margin-bottom: 1rem; }
.notice pre { padding: 0.75rem 1rem; border: 1px solid var(--rule); background: var(--sheet); overflow-x: auto; }
.notice label { display: block; font-weight: 600; }
.notice input { width: 100%; margin: 0.25rem 0 1rem; padding: 0.5rem 0.75rem; font: inherit;
  color: inherit; background: var(--sheet); border: 1px solid var(--edge); border-radius: 6px; }
.notice button, .notice .button { padding: 0.5rem 1.25rem; font: inherit; font-weight: 600; cursor: pointer;
  color: var(--blue-ink); background: var(--blue); border: 0; border-radius: 6px; }
.notice .button { display: inline-block; text-decoration: none; }
.notice code { white-space: nowrap; }
.notice form { margin-bottom: 1.5rem; }
.notice .fault { color: var(--error); }
`;

/**
 * Returns the page as a response. The headers forbid caches to store the page and other pages to frame it. The form of the
 * page can be sent only to the page's own origin.
 */
export async function noticePage(page: NoticePage): Promise<Response> {
  const { heading, body, status, headers = {}, script } = page;
  const style = await loadTheme() + LAYOUT + (page.style ?? "");
  const text = htmlDocument({
    title: `${heading} · Inkling`,
    head: ['<meta name="color-scheme" content="light dark">', `<style>${style}</style>`],
    body: [
      '<main class="notice">',
      '<p class="wordmark">Inkling</p>',
      `<h1>${heading}</h1>`,
      body,
      "</main>",
      ...(script === undefined ? [] : [`<script>${script}</script>`]),
    ],
  });
  const sources = [
    `style-src '${await hashOf(style)}'`,
    ...(script === undefined ? [] : [`script-src '${await hashOf(script)}'`]),
    "img-src data:",
  ];
  return new Response(text, {
    status,
    headers: {
      ...pageHeaders("html", { sources, formAction: "'self'" }),
      "cache-control": "no-store",
      // With `no-referrer`, the browser would post the form without an Origin header.
      "referrer-policy": "same-origin",
      "cross-origin-opener-policy": "same-origin",
      ...headers,
    },
  });
}

/**
 * Returns the page for a browser that returns from another server. Its address contains a code, which the page passes on to
 * no other site.
 */
export function returnPage(
  { paragraphs, headers, ...page }: Omit<NoticePage, "body"> & { paragraphs: readonly string[] },
): Promise<Response> {
  return noticePage({
    ...page,
    headers: { "referrer-policy": "no-referrer", ...headers },
    body: paragraphs.map((one) => `<p>${one}</p>`).join("\n"),
  });
}

/** Escapes a foreign text for HTML, and its invisible characters. */
export function toVisibleHtml(text: string): string {
  return escapeHtml(escapeUnseen(text));
}

/** Escapes a text for HTML content and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** Returns true if a browser requests a page. Programs accept JSON or anything. */
export function acceptsHtml(request: Request): boolean {
  return request.headers.get("accept")?.includes("text/html") ?? false;
}

async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `sha256-${new Uint8Array(digest).toBase64()}`;
}
