// The files of /ui, embedded in the program as text. `deno task dashboard` bundles `app.js` from client/; the styles are
// served as written.
// Decision: TypeScript with preact, bundled and committed. So the page shares the API's types and client, is type-checked,
// and starting the service needs no build (rejected: JavaScript modules, where a changed field of the API goes unnoticed).
import { lazyText } from "../html/lazy_text.ts";

/** The files by their name in the page. */
export const DASHBOARD_ASSETS: readonly { name: string; type: string; load(): Promise<string> }[] =
  [
    {
      name: "app.js",
      type: "text/javascript; charset=utf-8",
      load: lazyText(() => import("./assets/app.js", { with: { type: "text" } })),
    },
    {
      name: "theme.css",
      type: "text/css; charset=utf-8",
      load: lazyText(() => import("./assets/theme.css", { with: { type: "text" } })),
    },
    {
      name: "layout.css",
      type: "text/css; charset=utf-8",
      load: lazyText(() => import("./assets/layout.css", { with: { type: "text" } })),
    },
    {
      name: "views.css",
      type: "text/css; charset=utf-8",
      load: lazyText(() => import("./assets/views.css", { with: { type: "text" } })),
    },
  ];
