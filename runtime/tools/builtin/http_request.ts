// The tool http_request: sends one HTTP request and follows its redirects. The policy checks the address of each redirect.
import { z } from "zod";
import { withinTime } from "../../../base/bounded_wait.ts";
import { isWholeJson } from "../../../base/json.ts";
import { lazyModule } from "../../../base/lazy_module.ts";
import { defineTool } from "../definition/define_tool.ts";
import { exchange, type ExchangeReply, type ExchangeRequest } from "../http/http_exchange.ts";
import { type ResolveHost, resolveHostBySystem } from "../http/host_lookup.ts";
import type { HttpPolicy } from "../http/http_policy.ts";
import { followRedirects, isWebAddress, OWN_HEADERS } from "../http/http_redirects.ts";
import { type BodyText, decodeText, formatReply } from "../http/http_reply_text.ts";
import type { ActionTool, ToolContext } from "../definition/tool.ts";
import { ToolFailure } from "../failures/tool_failure.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;
const TIMEOUT_MS = 30_000;
const MAX_BODY_BYTES = 1024 * 1024;
/** The maximum size of a response body. The rest of a longer response is not read. */
const MAX_REPLY_BYTES = 5 * 1024 * 1024;
/** Matches the media types of pages and feeds. */
const MAY_BE_PAGE = /^(text|application)\/([\w.-]+\+)?(html|xml|json)\b/i;
/** Loads the conversion of pages, with its parser. */
const loadPages = lazyModule(() => import("../pages/readable_text.ts"));
/** Headers that a call cannot set, because they control the connection or select the server that answers. */
const CLOSED_HEADERS: ReadonlySet<string> = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** The options of the http_request tool. Only tests set them. */
export interface HttpRequestOptions {
  resolveHost?: ResolveHost;
  /** The time limit of the whole call in milliseconds, redirects included. Default: 30 seconds. */
  timeoutMs?: number;
}

/** Creates the http_request tool. It connects only to hosts that the policy allows. */
export function createHttpRequest(
  policy: HttpPolicy,
  options: HttpRequestOptions = {},
): ActionTool {
  const { resolveHost = resolveHostBySystem, timeoutMs = TIMEOUT_MS } = options;
  return defineTool({
    name: "http_request",
    description:
      "Sends one HTTP request. Returns status, main headers and 20,000 characters of the reply's text: an HTML page " +
      "as Markdown of its main part, a feed as its entries, other text as it is.",
    schema: z.object({
      url: z.string().describe("An http:// or https:// address"),
      method: z.enum(METHODS).default("GET"),
      headers: z.record(z.string(), z.string()).optional().describe("Request headers"),
      body: z.string().optional().describe("Request body; write JSON as text"),
      raw: z.boolean().optional().describe("Return the source of a page or feed"),
      offset: z.int().min(0).optional().describe(
        "The first character to return; sends the GET again",
      ),
    }),
    effect: ({ method }) => method === "GET" || method === "HEAD" ? "read" : "unsafe",
    // Longer than the limit in `run`, so that a slow request ends with the error message of `run`.
    timeoutMs: timeoutMs + 5_000,
    run: async (args, context) => {
      const { offset = 0 } = args;
      if (offset > 0 && args.method !== "GET") {
        throw new ToolFailure("offset would send the request again: it is only for GET.");
      }
      const first: ExchangeRequest = {
        url: parseUrl(args.url),
        method: args.method,
        ...parseContent(args.method, args.headers ?? {}, args.body),
      };
      const limit = {
        clock: context.clock,
        ms: timeoutMs,
        reason: new ToolFailure(`No complete reply came within ${timeoutMs / 1_000} seconds.`),
        signal: context.signal,
      };
      return await withinTime(limit, async (signal) => {
        const bounds = { policy, maxBytes: MAX_REPLY_BYTES, signal, resolveHost };
        const { url, reply } = await followRedirects(first, {
          ask: (request) => exchange(request, bounds),
          redactor: context.redactor,
        });
        const finalUrl = url.href === first.url.href ? undefined : url.href;
        const body = await readBody(reply, { url: url.href, isRaw: args.raw === true, context });
        return formatReply(reply, { finalUrl, body, offset, redactor: context.redactor });
      });
    },
  });
}

/** Returns the text of a body: extracted from a PDF file, converted from a page or feed, or decoded. */
async function readBody(
  { body, cut, headers }: ExchangeReply,
  { url, isRaw, context }: { url: string; isRaw: boolean; context: ToolContext },
): Promise<BodyText> {
  const type = headers.get("content-type") ?? "";
  const isMedia = /^(image\/|application\/(pdf|octet-stream))/i.test(type) && !cut;
  const shown = isMedia ? await context.show?.(body) : undefined;
  if (shown !== undefined) return shown;
  const text = decodeText(body, type);
  if (text === undefined || isRaw || !MAY_BE_PAGE.test(type)) return { text };
  if (/json\b/i.test(type) && !text.slice(0, 1_000).includes("//jsonfeed.org/")) return { text };
  const { toReadable } = await loadPages();
  return await toReadable(text, { type, url }) ?? { text };
}

function parseUrl(text: string): URL {
  const url = URL.parse(text.trim());
  if (url === null) {
    throw new ToolFailure(
      `"${text}" is not a valid address. Write it in full, such as https://example.com/page.`,
    );
  }
  if (!isWebAddress(url)) {
    throw new ToolFailure(`Cannot request "${text}": only http:// and https:// are possible.`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new ToolFailure(
      "The address contains a user name or password. Send them in an Authorization header instead.",
    );
  }
  return url;
}

function parseContent(
  method: string,
  given: Readonly<Record<string, string>>,
  body: string | undefined,
): { headers: Record<string, string>; body: Uint8Array | undefined } {
  const headers: Record<string, string> = { ...OWN_HEADERS };
  for (const [name, value] of Object.entries(given)) {
    const key = name.toLowerCase();
    if (CLOSED_HEADERS.has(key)) throw new ToolFailure(`The header "${name}" cannot be set.`);
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(key)) {
      throw new ToolFailure(`"${name}" is not a valid header name.`);
    }
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw new ToolFailure(
        `The header "${name}" has characters that are not allowed.`,
      );
    }
    headers[key] = value;
  }
  if (body === undefined || body === "") return { headers, body: undefined };
  if (method === "GET" || method === "HEAD") {
    throw new ToolFailure(`A ${method} request has no body. Use POST, PUT or PATCH.`);
  }
  const bytes = new TextEncoder().encode(body);
  // Checked before isWholeJson(), which reads the whole body at once and would block the service's thread.
  if (bytes.length > MAX_BODY_BYTES) {
    throw new ToolFailure(
      `The body has ${Math.ceil(bytes.length / 1024)} KB; a request may have ${
        MAX_BODY_BYTES / 1024
      } KB.`,
    );
  }
  headers["content-type"] ??= isWholeJson(body) ? "application/json" : "text/plain; charset=utf-8";
  headers["content-length"] = String(bytes.length);
  return { headers, body: bytes };
}
