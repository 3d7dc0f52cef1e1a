// The tool http_request: sends one HTTP request and follows its redirects. The policy checks the address of each redirect.
import { z } from "zod";
import { withinTime } from "../../../base/bounded_wait.ts";
import { isWholeJson } from "../../../base/json.ts";
import { lazyModule } from "../../../base/lazy_module.ts";
import { defineTool } from "../definition/define_tool.ts";
import {
  exchange,
  type ExchangeOptions,
  type ExchangeReply,
  type ExchangeRequest,
} from "../http/http_exchange.ts";
import { PreviewUnavailable } from "../files/preview_text.ts";
import { writeFile, type WriteOutcome } from "../files/write_file.ts";
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
/** The maximum size of a saved body, and the time limit of its download. */
const MAX_SAVED_BYTES = 100 * 1024 * 1024;
const SAVE_TIMEOUT_MS = 600_000;
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
  /** The maximum size of a saved body. Default: 100 MB. */
  maxSavedBytes?: number;
}

/** Creates the http_request tool. It connects only to hosts that the policy allows. */
export function createHttpRequest(
  policy: HttpPolicy,
  options: HttpRequestOptions = {},
): ActionTool {
  const { resolveHost = resolveHostBySystem, maxSavedBytes = MAX_SAVED_BYTES } = options;
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
      save_to: z.string().optional().describe("Write the body into this file, at most 100 MB"),
      offset: z.int().min(0).optional().describe(
        "The first character to return; sends the GET again",
      ),
    }),
    effect: ({ method, save_to }) =>
      method !== "GET" && method !== "HEAD"
        ? "unsafe"
        : save_to === undefined
        ? "read"
        : "idempotent",
    writesFile: (args) => args["save_to"] !== undefined,
    // Longer than the limit in `run`, so that a slow request ends with the error message of `run`.
    timeoutMs: SAVE_TIMEOUT_MS + 5_000,
    preview: async ({ save_to: path }, { sandbox }) => {
      if (path === undefined) return undefined;
      const { display } = await sandbox.resolve(path, "write");
      throw new PreviewUnavailable(
        `"${display}" gets the body of the response: it is not known yet.`,
      );
    },
    run: async (args, context) => {
      const { offset = 0 } = args;
      if (offset > 0 && args.method !== "GET") {
        throw new ToolFailure("offset would send the request again: it is only for GET.");
      }
      const { save_to: path } = args;
      if (path !== undefined && (args.method === "HEAD" || offset > 0 || args.raw !== undefined)) {
        throw new ToolFailure(
          "save_to saves the whole body as it is: it needs no HEAD, raw or offset.",
        );
      }
      // Checked before the request, too.
      if (path !== undefined) await context.sandbox.resolve(path, "write");
      const first: ExchangeRequest = {
        url: parseUrl(args.url),
        method: args.method,
        ...parseContent(args.method, args.headers ?? {}, args.body),
      };
      const allowed = path === undefined ? TIMEOUT_MS : SAVE_TIMEOUT_MS;
      const limit = {
        clock: context.clock,
        ms: allowed,
        reason: new ToolFailure(`No complete reply came within ${allowed / 1_000} seconds.`),
        signal: context.signal,
      };
      return await withinTime(limit, async (signal) => {
        let saved: WriteOutcome | undefined;
        const bounds: ExchangeOptions = {
          ...{ policy, maxBytes: MAX_REPLY_BYTES, signal, resolveHost },
          ...(path !== undefined && {
            receiver: {
              maxBytes: maxSavedBytes,
              receive: async (body) => {
                saved = await saveBody(body, path, { ...context, signal });
              },
            },
          }),
        };
        const { url, reply } = await followRedirects(first, {
          ask: (request) => exchange(request, bounds),
          redactor: context.redactor,
        });
        const finalUrl = url.href === first.url.href ? undefined : url.href;
        if (saved !== undefined) {
          const { created, display, size } = saved;
          const text = `(${created ? "Created" : "Replaced"} ${display}: the body, ${size} bytes.)`;
          return formatReply(reply, {
            finalUrl,
            body: { text },
            offset,
            redactor: context.redactor,
          });
        }
        const content = await readBody(reply, { url: url.href, isRaw: args.raw === true, context });
        const body = path === undefined ? content : {
          ...content,
          about: ["save_to: nothing was saved, because of the status", ...content.about ?? []],
        };
        return formatReply(reply, { finalUrl, body, offset, redactor: context.redactor });
      });
    },
  });
}

/** Writes a body to a file, which appears when it is complete. */
async function saveBody(
  body: AsyncIterable<Uint8Array>,
  path: string,
  { sandbox, signal }: ToolContext,
): Promise<WriteOutcome> {
  let isOpened = false;
  const open = () => {
    if (isOpened) {
      throw new ToolFailure(`Cannot write "${path}": its path changed meanwhile. Try again.`);
    }
    isOpened = true;
    return body;
  };
  return await writeFile(sandbox, path, open, { signal });
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
