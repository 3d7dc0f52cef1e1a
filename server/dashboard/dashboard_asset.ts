// The files behind /ui, as text that is part of the program. `app.js` is made of client/ by `deno task dashboard`; the
// styles are written as they are served.
// Decision: TypeScript with preact, bundled and committed, because the page then uses the API's own types and its own
// client, is checked like the rest, and starting the service needs no build (rejected: modules written in JavaScript,
// where a field of the API that changes would be noticed by nobody).
import { lateText } from "../late_text.ts";

/** Files by the name under which the page asks for them. */
export const DASHBOARD_ASSETS: readonly { name: string; type: string; load(): Promise<string> }[] =
  [
    {
      name: "app.js",
      type: "text/javascript; charset=utf-8",
      load: lateText(() => import("./assets/app.js", { with: { type: "text" } })),
    },
    {
      name: "theme.css",
      type: "text/css; charset=utf-8",
      load: lateText(() => import("./assets/theme.css", { with: { type: "text" } })),
    },
    {
      name: "layout.css",
      type: "text/css; charset=utf-8",
      load: lateText(() => import("./assets/layout.css", { with: { type: "text" } })),
    },
    {
      name: "views.css",
      type: "text/css; charset=utf-8",
      load: lateText(() => import("./assets/views.css", { with: { type: "text" } })),
    },
  ];
