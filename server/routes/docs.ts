// Creates the routes of the API documentation: the OpenAPI document and two pages that show it. The pages load no file from
// another server.
import { loadOpenApi, loadOperations } from "../../api/routes/operations.ts";
import {
  assetRoutes,
  type Assets,
  htmlDocument,
  lazyText,
  pageHeaders,
  type PageRoute,
  type TextResponse,
} from "../html/page.ts";
import { respondText } from "../html/text_response.ts";

/**
 * The content security policy: it allows only files of this service, and inline styles, which the two viewers of the
 * documentation create.
 */
const POLICY = {
  sources: [
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
  ],
};

const SWAGGER_PAGE = toPage({
  title: "Inkling API",
  styles: ["swagger-ui.css"],
  scripts: ["swagger-ui-bundle.js", "swagger_init.js"],
  root: "swagger-ui",
});

const REDOC_PAGE = toPage({
  title: "Inkling API reference",
  styles: [],
  scripts: ["redoc.standalone.js", "redoc_init.js"],
  root: "redoc",
});

/** Returns the routes `/openapi.json`, `/docs`, `/redoc` and their files. Builds the document at its first request. */
export function createDocumentation(options: { version: string }): readonly PageRoute[] {
  let document: string | undefined;
  return [
    {
      path: "/openapi.json",
      async respond(request) {
        document ??= await describe(options);
        return await toResponse(request, document, "json");
      },
    },
    { path: "/docs", respond: (request) => toResponse(request, SWAGGER_PAGE, "html") },
    { path: "/redoc", respond: (request) => toResponse(request, REDOC_PAGE, "html") },
    ...assetRoutes("/docs/assets", ASSETS, toResponse),
  ];
}

async function describe(options: { version: string }): Promise<string> {
  const { describeApi } = await loadOpenApi();
  return JSON.stringify(describeApi(await loadOperations(), options));
}

const toResponse: TextResponse = (request, text, type) =>
  respondText(request, text, pageHeaders(type, POLICY));

function toPage(
  page: { title: string; styles: string[]; scripts: string[]; root: string },
): string {
  const at = (name: string) => `/docs/assets/${name}`;
  return htmlDocument({
    title: page.title,
    head: page.styles.map((name) => `<link rel="stylesheet" href="${at(name)}">`),
    body: [
      `<div id="${page.root}"></div>`,
      ...page.scripts.map((name) => `<script src="${at(name)}"></script>`),
    ],
  });
}

// Embeds the files of /docs and /redoc in the program as text, and loads them at their first request.

const loadRedoc = lazyText(() =>
  import("../docs_assets/redoc.standalone.js", { with: { type: "text" } })
);

/** The files of the two pages that show the API's documentation. */
const ASSETS: Assets = {
  "swagger-ui.css": lazyText(() =>
    import("../docs_assets/swagger-ui.css", { with: { type: "text" } })
  ),
  "swagger-ui-bundle.js": lazyText(() =>
    import("../docs_assets/swagger-ui-bundle.js", { with: { type: "text" } })
  ),
  "swagger_init.js": lazyText(() =>
    import("../docs_assets/swagger_init.js", { with: { type: "text" } })
  ),
  "redoc.standalone.js": async () => withoutForeignLogo(await loadRedoc()),
  "redoc_init.js": lazyText(() =>
    import("../docs_assets/redoc_init.js", { with: { type: "text" } })
  ),
};

/** Returns Redoc's script without the logo that Redoc would load from a server on the Internet; no option turns it off. */
function withoutForeignLogo(script: string): string {
  return script.replaceAll("https://cdn.redoc.ly/redoc/logo-mini.svg", "data:image/svg+xml,");
}
