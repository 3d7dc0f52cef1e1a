// The files of /docs and /redoc, as text that is part of the program: a compiled binary brings them along, and
// nothing is fetched from elsewhere. Each is loaded when it is first asked for.
import { lateText } from "./late_text.ts";

const loadRedoc = lateText(() =>
  import("./docs_assets/redoc.standalone.js", { with: { type: "text" } })
);

/** Files by the name under which the pages ask for them. */
export const DOCS_ASSETS: readonly { name: string; type: string; load(): Promise<string> }[] = [
  {
    name: "swagger-ui.css",
    type: "text/css; charset=utf-8",
    load: lateText(() => import("./docs_assets/swagger-ui.css", { with: { type: "text" } })),
  },
  {
    name: "swagger-ui-bundle.js",
    type: "text/javascript; charset=utf-8",
    load: lateText(() => import("./docs_assets/swagger-ui-bundle.js", { with: { type: "text" } })),
  },
  {
    name: "swagger_init.js",
    type: "text/javascript; charset=utf-8",
    load: lateText(() => import("./docs_assets/swagger_init.js", { with: { type: "text" } })),
  },
  {
    name: "redoc.standalone.js",
    type: "text/javascript; charset=utf-8",
    load: async () => withoutForeignLogo(await loadRedoc()),
  },
  {
    name: "redoc_init.js",
    type: "text/javascript; charset=utf-8",
    load: lateText(() => import("./docs_assets/redoc_init.js", { with: { type: "text" } })),
  },
];

/** Redoc shows its maker's logo from a server on the Internet, and has no option against it. */
function withoutForeignLogo(script: string): string {
  return script.replaceAll("https://cdn.redoc.ly/redoc/logo-mini.svg", "data:image/svg+xml,");
}
