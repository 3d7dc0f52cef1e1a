// Creates the routes of the dashboard: its page and the files that the page loads. The page reads its data from the API.
// `deno task dashboard` bundles `app.js` and `editor.js` from page/; the styles are served as written. Decision: TypeScript with preact,
// bundled and committed. The page shares the API's types and client, its types are checked, and the service starts without
// a build (rejected: JavaScript modules, in which nothing notices a changed field of the API).
import { RequestRefused } from "../../api/errors.ts";
import { acceptsHtml } from "../html/notice_page.ts";
import {
  assetRoutes,
  type Assets,
  htmlDocument,
  lazyText,
  type PageRoute,
  toOwnResponse,
} from "../html/page.ts";

/** The path of the page. */
const DASHBOARD_PATH = "/ui";

/** The files of the page. */
const ASSETS: Assets = {
  "app.js": lazyText(() => import("../dashboard/assets/app.js", { with: { type: "text" } })),
  "editor.js": lazyText(() => import("../dashboard/assets/editor.js", { with: { type: "text" } })),
  "theme.css": lazyText(() => import("../dashboard/assets/theme.css", { with: { type: "text" } })),
  "layout.css": lazyText(() =>
    import("../dashboard/assets/layout.css", { with: { type: "text" } })
  ),
  "views.css": lazyText(() => import("../dashboard/assets/views.css", { with: { type: "text" } })),
};

/** The icon, a drop of ink. It is part of the page, because browsers would otherwise request it from the service. */
const ICON = [
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'>",
  "<path fill='#2f6db5' d='M16 2c5 8 9 12 9 18a9 9 0 0 1-18 0c0-6 4-10 9-18z'/>",
  "</svg>",
].join("");

/** The HTML of the page. Its addresses are relative, because a proxy may serve it under any path. */
const PAGE = htmlDocument({
  title: "Inkling",
  icon: `data:image/svg+xml,${encodeURIComponent(ICON)}`,
  head: [
    '<meta name="color-scheme" content="light dark">',
    ...Object.keys(ASSETS).filter((name) => name.endsWith(".css"))
      .map((name) => `<link rel="stylesheet" href="ui/assets/${name}">`),
    '<script src="ui/assets/app.js" defer></script>',
  ],
  body: [
    '<div id="app"></div>',
    "<noscript>The dashboard needs JavaScript. Turn it on, or use the command line.</noscript>",
  ],
});
const LOGGED_IN_PAGE = PAGE.replace('<div id="app">', '<div id="app" data-logged-in>');

/**
 * Returns the routes of `/ui`, of its files, and of `/`, which redirects browsers to `/ui`. The page of a logged-in browser
 * has an attribute that makes it offer a log-out, because scripts cannot read the cookie.
 */
export function createDashboard(
  { isLoggedIn }: { isLoggedIn: (request: Request) => boolean },
): readonly PageRoute[] {
  return [
    { path: "/", respond: redirectToPage },
    {
      path: DASHBOARD_PATH,
      respond: (request) =>
        toOwnResponse(request, isLoggedIn(request) ? LOGGED_IN_PAGE : PAGE, "html"),
    },
    ...assetRoutes(`${DASHBOARD_PATH}/assets`, ASSETS, toOwnResponse),
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
