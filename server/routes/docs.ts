// The API documentation: the OpenAPI document and two pages that show it. They load no file from elsewhere.
import { loadOpenApi, loadOperations } from "../../api/routes/operations.ts";
import { lazyText } from "../html/lazy_text.ts";

/** A static page or file of the documentation. */
export interface DocumentationPage {
  path: string;
  respond(): Promise<Response>;
}

/** Allows only files of this service. Inline styles are allowed, because both viewers create them. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const HTML = "text/html; charset=utf-8";

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
export function createDocumentation(options: { version: string }): readonly DocumentationPage[] {
  let document: string | undefined;
  return [
    {
      path: "/openapi.json",
      async respond() {
        document ??= await describe(options);
        return toResponse(document, "application/json");
      },
    },
    { path: "/docs", respond: () => Promise.resolve(toResponse(SWAGGER_PAGE, HTML)) },
    { path: "/redoc", respond: () => Promise.resolve(toResponse(REDOC_PAGE, HTML)) },
    ...DOCS_ASSETS.map(({ name, type, load }) => ({
      path: `/docs/assets/${name}`,
      respond: async () => toResponse(await load(), type),
    })),
  ];
}

async function describe(options: { version: string }): Promise<string> {
  const { describeApi } = await loadOpenApi();
  return JSON.stringify(describeApi(await loadOperations(), options));
}

function toResponse(text: string, type: string): Response {
  return new Response(text, {
    headers: {
      "content-type": type,
      "content-security-policy": CONTENT_SECURITY_POLICY,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    },
  });
}

function toPage(
  page: { title: string; styles: string[]; scripts: string[]; root: string },
): string {
  const at = (name: string) => `/docs/assets/${name}`;
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<link rel="icon" href="data:,">',
    `<title>${page.title}</title>`,
    ...page.styles.map((name) => `<link rel="stylesheet" href="${at(name)}">`),
    "</head>",
    "<body>",
    `<div id="${page.root}"></div>`,
    ...page.scripts.map((name) => `<script src="${at(name)}"></script>`),
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

// The files of /docs and /redoc. They are embedded in the program as text and loaded at their first request.

const loadRedoc = lazyText(() =>
  import("../docs_assets/redoc.standalone.js", { with: { type: "text" } })
);

/** The files by their name in the pages. */
const DOCS_ASSETS: readonly { name: string; type: string; load(): Promise<string> }[] = [
  {
    name: "swagger-ui.css",
    type: "text/css; charset=utf-8",
    load: lazyText(() => import("../docs_assets/swagger-ui.css", { with: { type: "text" } })),
  },
  {
    name: "swagger-ui-bundle.js",
    type: "text/javascript; charset=utf-8",
    load: lazyText(() => import("../docs_assets/swagger-ui-bundle.js", { with: { type: "text" } })),
  },
  {
    name: "swagger_init.js",
    type: "text/javascript; charset=utf-8",
    load: lazyText(() => import("../docs_assets/swagger_init.js", { with: { type: "text" } })),
  },
  {
    name: "redoc.standalone.js",
    type: "text/javascript; charset=utf-8",
    load: async () => withoutForeignLogo(await loadRedoc()),
  },
  {
    name: "redoc_init.js",
    type: "text/javascript; charset=utf-8",
    load: lazyText(() => import("../docs_assets/redoc_init.js", { with: { type: "text" } })),
  },
];

/** Redoc shows its maker's logo from a server on the Internet, and has no option against it. */
function withoutForeignLogo(script: string): string {
  return script.replaceAll("https://cdn.redoc.ly/redoc/logo-mini.svg", "data:image/svg+xml,");
}
