// Follows the redirects of a web server, and decides which parts of the request are sent to the next address.
import type { Redactor } from "../../secrets/redactor.ts";
import type { ExchangeReply, ExchangeRequest } from "./http_exchange.ts";
import { ToolFailure } from "../failures/tool_failure.ts";

const MAX_REDIRECTS = 5;
const MAX_SHOWN_LOCATION = 200;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/**
 * The headers of every request. After a redirect to another origin only these are sent, because any header from an agent
 * could contain a key.
 */
export const OWN_HEADERS = {
  "accept": "*/*",
  "accept-encoding": "identity",
  "user-agent": "Inkling",
} as const;

/**
 * Sends a request with `ask` and follows redirects. Returns the last response and its address. Throws ToolFailure after
 * five redirects, if a redirect has no web address, and if it would send a body to another origin. Rethrows errors of
 * `ask`.
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

/** Returns true for an http or https address with a host. */
export function isWebAddress(url: URL): boolean {
  return (url.protocol === "http:" || url.protocol === "https:") && url.hostname !== "";
}
