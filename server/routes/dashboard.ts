// The routes of the dashboard: its page and the files that the page loads. The page reads its data from the API.
import { DASHBOARD_ASSETS } from "../dashboard/dashboard_asset.ts";
import { RequestRefused } from "../../api/errors.ts";
import { acceptsHtml } from "../html/notice_page.ts";

/** A route of the dashboard. `respond` may throw RequestRefused. */
export interface DashboardRoute {
  path: string;
  respond(request: Request): Promise<Response>;
}

/** The path of the page. */
const DASHBOARD_PATH = "/ui";

/**
 * Allows only the page's own files, and no text as markup or code. So the output of models remains text even if the page
 * has a bug.
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

/** The icon, a drop of ink. It is inline, because browsers would otherwise request one from the service. */
const ICON = [
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'>",
  "<path fill='#2f6db5' d='M16 2c5 8 9 12 9 18a9 9 0 0 1-18 0c0-6 4-10 9-18z'/>",
  "</svg>",
].join("");

/** The HTML page. Its addresses are relative, because a proxy may serve it under any path. */
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
  "<noscript>The dashboard needs JavaScript. Turn it on, or use the command line.</noscript>",
  "</body>",
  "</html>",
  "",
].join("\n");
const LOGGED_IN_PAGE = PAGE.replace('<div id="app">', '<div id="app" data-logged-in>');

/**
 * Returns the routes `/ui`, its files, and `/`, which redirects browsers to `/ui`. The page of a logged-in browser is
 * marked, because scripts cannot read the cookie and the page offers a log-out.
 */
export function createDashboard(
  { isLoggedIn }: { isLoggedIn: (request: Request) => boolean },
): readonly DashboardRoute[] {
  return [
    { path: "/", respond: redirectToPage },
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

/** Returns true if a browser opens the page. Programs get the API's own refusal instead of the log-in page. */
export function opensDashboard(request: Request): boolean {
  const path = URL.canParse(request.url) ? new URL(request.url).pathname : "";
  const isPage = path === "/" || path === DASHBOARD_PATH;
  return request.method === "GET" && isPage && acceptsHtml(request);
}

/** Redirects a browser from `/` to the page. Throws RequestRefused (404) for a program. */
function redirectToPage(request: Request): Promise<Response> {
  if (!acceptsHtml(request)) return Promise.reject(new RequestRefused(404, "Not Found"));
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
      // A newer service has a newer page.
      "cache-control": "no-cache",
    },
  });
}
