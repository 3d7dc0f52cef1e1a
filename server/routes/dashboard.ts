// The dashboard: one page and the files that it loads. All that it shows it asks the API for, as every client does.
import { DASHBOARD_ASSETS } from "../dashboard/dashboard_asset.ts";
import { RequestRefused } from "../../api/errors.ts";
import { wantsPage } from "../notice_page.ts";

/** A path that is answered for whoever asks; refusals are thrown. */
export interface DashboardRoute {
  path: string;
  respond(request: Request): Promise<Response>;
}

/** Where the page stands. */
const DASHBOARD_PATH = "/ui";

/**
 * Nothing but the page's own files, and no text that becomes markup or code: what models write stays text even where
 * the page had a fault.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** A drop of ink. Browsers take pictures of pages from nowhere else without asking the service for them. */
const ICON = [
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'>",
  "<path fill='#2f6db5' d='M16 2c5 8 9 12 9 18a9 9 0 0 1-18 0c0-6 4-10 9-18z'/>",
  "</svg>",
].join("");

/** Relative addresses: a proxy may put the whole under a path of its own. */
const PAGE = [
  "<!doctype html>",
  '<html lang="en">',
  "<head>",
  '<meta charset="utf-8">',
  '<meta name="viewport" content="width=device-width, initial-scale=1">',
  '<meta name="color-scheme" content="light dark">',
  `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON)}">`,
  "<title>Inkling</title>",
  ...DASHBOARD_ASSETS.filter(({ name }) => name.endsWith(".css"))
    .map(({ name }) => `<link rel="stylesheet" href="ui/assets/${name}">`),
  '<script src="ui/assets/app.js" defer></script>',
  "</head>",
  "<body>",
  '<div id="app"></div>',
  "<noscript>The dashboard needs JavaScript. The API answers without.</noscript>",
  "</body>",
  "</html>",
  "",
].join("\n");
const LOGGED_IN_PAGE = PAGE.replace('<div id="app">', '<div id="app" data-logged-in>');

/**
 * `/ui`, what it loads, and `/`, which leads browsers there. Who has logged in finds a way out in the page, which cannot see
 * that itself: scripts do not get the cookie.
 */
export function createDashboard(
  { isLoggedIn }: { isLoggedIn: (request: Request) => boolean },
): readonly DashboardRoute[] {
  return [
    { path: "/", respond: leadToPage },
    {
      path: DASHBOARD_PATH,
      respond: (request) =>
        Promise.resolve(
          toResponse(isLoggedIn(request) ? LOGGED_IN_PAGE : PAGE, "text/html; charset=utf-8"),
        ),
    },
    ...DASHBOARD_ASSETS.map(({ name, type, load }) => ({
      path: `${DASHBOARD_PATH}/assets/${name}`,
      respond: async () => toResponse(await load(), type),
    })),
  ];
}

/** Whether a person opens the page: programs read the API's own refusal where it is not for them. */
export function opensDashboard(request: Request): boolean {
  const path = URL.canParse(request.url) ? new URL(request.url).pathname : "";
  const isPage = path === "/" || path === DASHBOARD_PATH;
  return request.method === "GET" && isPage && wantsPage(request);
}

/** A browser that opens the bare address wants the page; for a program there is nothing at `/`. */
function leadToPage(request: Request): Promise<Response> {
  if (!wantsPage(request)) return Promise.reject(new RequestRefused(404, "Not Found"));
  const location = DASHBOARD_PATH.slice(1);
  return Promise.resolve(new Response(null, { status: 303, headers: { location } }));
}

function toResponse(text: string, type: string): Response {
  return new Response(text, {
    headers: {
      "content-type": type,
      "content-security-policy": CONTENT_SECURITY_POLICY,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      // A newer service brings a newer page.
      "cache-control": "no-cache",
    },
  });
}
