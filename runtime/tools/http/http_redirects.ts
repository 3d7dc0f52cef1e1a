// Redirects of a web server: the next address, and the parts of the request that are sent to it.
import type { Redactor } from "../../secrets/redactor.ts";
import type { ExchangeReply, ExchangeRequest } from "./http_exchange.ts";
import { ToolFailure } from "../failures/tool_failure.ts";

const MAX_REDIRECTS = 5;
const MAX_SHOWN_LOCATION = 200;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** The headers of every request. Another origin gets no others, because any header from an agent could hold a key. */
export const OWN_HEADERS = {
  "accept": "*/*",
  "accept-encoding": "identity",
  "user-agent": "Inkling",
} as const;

/**
 * Sends a request and follows redirects. Returns the last reply and its address. Throws ToolFailure after five redirects,
 * for a redirect to no web address, and for one that would send a body to another origin. Errors of `ask` pass through.
 */
export async function followRedirects(
  first: ExchangeRequest,
  { ask, redactor }: {
    ask: (request: ExchangeRequest) => Promise<ExchangeReply>;
    redactor: Redactor;
  },
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
  if (url === null || !isWebAddress(url)) {
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
  if (url.origin === request.url.origin) {
    const kept = Object.entries(request.headers)
      .filter(([name]) => keepsMethod || !name.startsWith("content-"));
    return { url, method, headers: Object.fromEntries(kept), body };
  }
  if (body !== undefined) {
    throw new ToolFailure(
      `Cannot follow the redirect of ${request.url.origin} to ${url.origin}: the request has a body, which is sent ` +
        "to no other origin by itself. Request the new address, if that is right.",
    );
  }
  return { url, method, headers: OWN_HEADERS, body };
}

/** Returns true for an http or https address. */
export function isWebAddress(url: URL): boolean {
  return (url.protocol === "http:" || url.protocol === "https:") && url.hostname !== "";
}
