// http_request: one request to a web address, redirects followed, each of them checked.
import { z } from "zod";
import { withinTime } from "../../bounded_wait.ts";
import { isWholeJson } from "../../json.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import { defineTool } from "../define_tool.ts";
import { exchange, type ExchangeReply, type ExchangeRequest } from "../http_exchange.ts";
import { type ResolveHost, resolveHostBySystem } from "../host_lookup.ts";
import type { HttpPolicy } from "../http_policy.ts";
import { showReply } from "../http_reply_text.ts";
import type { ActionTool } from "../tool.ts";
import { ToolFailure } from "../tool_failure.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;
const TIMEOUT_MS = 30_000;
const MAX_REDIRECTS = 5;
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_SHOWN_LOCATION = 200;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Headers that belong to the connection, or decide which server answers. */
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
/** What another origin may see of the headers: any other one could be a key. */
const HARMLESS_HEADERS: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "content-length",
  "content-type",
  "user-agent",
]);

/** What a test replaces. */
export interface HttpRequestOptions {
  resolveHost?: ResolveHost;
  /** For the whole of it, redirects included. */
  timeoutMs?: number;
}

/** The http_request tool under a policy. */
export function createHttpRequest(
  policy: HttpPolicy,
  options: HttpRequestOptions = {},
): ActionTool {
  const { resolveHost = resolveHostBySystem, timeoutMs = TIMEOUT_MS } = options;
  return defineTool({
    name: "http_request",
    description:
      "Sends one HTTP request and returns status, main headers and the text of the reply (at most 20,000 characters).",
    schema: z.object({
      url: z.string().describe("An http:// or https:// address"),
      method: z.enum(METHODS).default("GET"),
      headers: z.record(z.string(), z.string()).optional().describe("Request headers"),
      body: z.string().optional().describe("Request body; write JSON as text"),
    }),
    effect: ({ method }) => method === "GET" || method === "HEAD" ? "read" : "unsafe",
    // The request's own limit comes first; this is for whoever waits for the call.
    timeoutMs: timeoutMs + 5_000,
    run: async (args, context) => {
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
        const { url, reply } = await followRedirects(
          first,
          (request) => exchange(request, { policy, maxBytes: MAX_BODY_BYTES, signal, resolveHost }),
          context.redactor,
        );
        const finalUrl = url.href === first.url.href ? undefined : url.href;
        return showReply(reply, { finalUrl, redactor: context.redactor });
      });
    },
  });
}

async function followRedirects(
  first: ExchangeRequest,
  ask: (request: ExchangeRequest) => Promise<ExchangeReply>,
  redactor: Redactor,
): Promise<{ url: URL; reply: ExchangeReply }> {
  let request = first;
  for (let count = 0; count <= MAX_REDIRECTS; count++) {
    const reply = await ask(request);
    const location = reply.headers.get("location");
    if (!REDIRECTS.has(reply.status) || location === undefined) return { url: request.url, reply };
    request = redirected(request, { status: reply.status, location, redactor });
  }
  throw new ToolFailure(
    `Cannot request ${first.url.host}: more than ${MAX_REDIRECTS} redirects, the last one to ${request.url.href}.`,
  );
}

function redirected(
  request: ExchangeRequest,
  { status, location, redactor }: { status: number; location: string; redactor: Redactor },
): ExchangeRequest {
  const url = URL.parse(location, request.url);
  if (url === null || !isWeb(url)) {
    const shown = JSON.stringify(redactor.beginningOf(location, MAX_SHOWN_LOCATION));
    throw new ToolFailure(
      `Cannot follow the redirect of ${request.url.host} to ${shown}: ` +
        "it is not an http or https address.",
    );
  }
  url.username = url.password = "";
  const keepsMethod = status === 307 || status === 308 || request.method === "HEAD" ||
    (status !== 303 && request.method !== "POST");
  const method = keepsMethod ? request.method : "GET";
  const body = keepsMethod ? request.body : undefined;
  const sameOrigin = url.origin === request.url.origin;
  const kept = Object.entries(request.headers).filter(([name]) =>
    (sameOrigin || HARMLESS_HEADERS.has(name)) && (keepsMethod || !name.startsWith("content-"))
  );
  return { url, method, headers: Object.fromEntries(kept), body };
}

function parseUrl(text: string): URL {
  const url = URL.parse(text.trim());
  if (url === null) {
    throw new ToolFailure(
      `"${text}" is not a valid address. Write it in full, such as https://example.com/page.`,
    );
  }
  if (!isWeb(url)) {
    throw new ToolFailure(`Cannot request "${text}": only http:// and https:// are possible.`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new ToolFailure(
      "The address contains a user name or password. Send them in an Authorization header instead.",
    );
  }
  return url;
}

function isWeb(url: URL): boolean {
  return (url.protocol === "http:" || url.protocol === "https:") && url.hostname !== "";
}

function parseContent(
  method: string,
  given: Readonly<Record<string, string>>,
  body: string | undefined,
): { headers: Record<string, string>; body: Uint8Array | undefined } {
  const headers: Record<string, string> = {
    "accept": "*/*",
    "accept-encoding": "identity",
    "user-agent": "Inkling",
  };
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
  headers["content-type"] ??= isWholeJson(body) ? "application/json" : "text/plain; charset=utf-8";
  headers["content-length"] = String(bytes.length);
  return { headers, body: bytes };
}
