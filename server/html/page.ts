// Creates HTML pages and routes for embedded files: the document of a page, its security headers, and the routes of its
// files.
import { lazyModule } from "../../base/lazy_module.ts";
import { respondText } from "./text_response.ts";

/** A route for GET. `respond` may throw RequestRefused. */
export interface PageRoute {
  path: string;
  respond(request: Request): Promise<Response>;
}

/** Functions that load the texts of embedded files, by file name. */
export type Assets = Readonly<Record<string, () => Promise<string>>>;

const TYPES = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
};

/**
 * Returns a function that loads a text at its first call. `load` imports the text with the type `text`. The function throws
 * NoDescriptorLeft if too few file descriptors are free.
 */
export function lazyText(load: () => Promise<{ default: string }>): () => Promise<string> {
  const loadModule = lazyModule(load);
  return async () => (await loadModule()).default;
}

/** Returns an HTML document. `head` and `body` are lines of HTML. */
export function htmlDocument(
  { title, icon = "data:,", head, body }: {
    title: string;
    icon?: string;
    head: readonly string[];
    body: readonly string[];
  },
): string {
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<link rel="icon" href="${icon}">`,
    `<title>${title}</title>`,
    ...head,
    "</head>",
    "<body>",
    ...body,
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

/** Returns the headers of a page or file. The policy allows only the listed sources; `more` adds directives. */
export function pageHeaders(
  type: keyof typeof TYPES,
  { sources, formAction = "'none'", more = [] }: {
    sources: readonly string[];
    formAction?: string;
    more?: readonly string[];
  },
): Record<string, string> {
  return {
    "content-type": TYPES[type],
    "content-security-policy": [
      "default-src 'none'",
      ...sources,
      "base-uri 'none'",
      `form-action ${formAction}`,
      "frame-ancestors 'none'",
      ...more,
    ].join("; "),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  };
}

/**
 * The content security policy: it allows only the page's own files, and no text as markup or code. The output of models
 * remains text even if a page has a bug.
 */
const OWN_POLICY = {
  sources: ["script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'"],
  more: ["require-trusted-types-for 'script'", "trusted-types 'none'"],
};

/** Returns the response of a page or file that ships with Inkling, with the strictest content security policy. */
export function toOwnResponse(
  request: Request,
  text: string,
  type: keyof typeof TYPES,
): Promise<Response> {
  return respondText(request, text, {
    ...pageHeaders(type, OWN_POLICY),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
  });
}

/** Returns the response to a request for a text, with its content type. */
export type TextResponse = typeof toOwnResponse;

/** Returns a route for each file below a path. */
export function assetRoutes(path: string, assets: Assets, toResponse: TextResponse): PageRoute[] {
  return Object.entries(assets).map(([name, load]) => ({
    path: `${path}/${name}`,
    respond: async (request) =>
      await toResponse(request, await load(), name.endsWith(".css") ? "css" : "js"),
  }));
}
