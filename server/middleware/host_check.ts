// Checks Host and Origin on the TCP listener. This blocks DNS rebinding, and requests that a page of another site makes in
// a browser.
import type { MiddlewareHandler } from "hono";
import { toHostName, toOrigin } from "../../base/web_origin.ts";
import { readAddress } from "./request_address.ts";
import { RequestRefused } from "../../api/errors.ts";

/** The hosts and origins of the listener. */
export interface HostRules {
  /** The allowed host names besides `localhost` and IP addresses: the bound host, and `http.hosts` of config.yaml. */
  hosts: readonly string[];
  /** The allowed origins of a reverse proxy or an app: `https://inkling.example`, `app://obsidian.md`. */
  origins: readonly string[];
  /** Returns true if the request may come from another site, because it opens a link and changes nothing. */
  isFollowed?: (request: Request) => boolean;
}

/** Returns the middleware that throws the refusals of createHostCheck(). */
export function hostCheck(rules: HostRules): MiddlewareHandler {
  const findRefusal = createHostCheck(rules);
  return async (c, next) => {
    const refusal = findRefusal(c.req.raw);
    if (refusal !== undefined) throw refusal;
    await next();
  };
}

/**
 * Returns a function that returns the refusal of a request: 421 for a missing or foreign `Host`, 403 for a foreign `Origin`
 * or `Sec-Fetch-Site: cross-site`, and undefined for an allowed request.
 */
export function createHostCheck(
  rules: HostRules,
): (request: Request) => RequestRefused | undefined {
  const names = new Set(["localhost", ...rules.hosts].flatMap((one) => toHostName(one) ?? []));
  const origins = new Set(rules.origins.flatMap((one) => toOrigin(one) ?? []));
  const isAdmitted = (origin: string | null) => origins.has((origin ?? "").toLowerCase());
  const isOurs = (host: string) => isAddress(host) || names.has(toName(host));
  return (request) => {
    const { headers, url } = request;
    // A request line with an absolute URL contains a second host, which is checked, too.
    const target = readAddress(url)?.host ?? "";
    const host = headers.get("host") ?? "";
    if (!isOurs(host) || !isOurs(target)) {
      return new RequestRefused(421, "The Host header is not a host name of this service");
    }
    const origin = headers.get("origin");
    const isOwn = origin === null || origin === `http://${host.toLowerCase()}`;
    if (!isOwn && !isAdmitted(origin)) {
      return new RequestRefused(403, "Requests from other origins are refused");
    }
    // Accept `cross-site` with an allowed origin, because browsers also send `cross-site` for requests from allowed
    // origins.
    const isForeign = headers.get("sec-fetch-site") === "cross-site" && !isAdmitted(origin);
    if (isForeign && !rules.isFollowed?.(request)) {
      return new RequestRefused(403, "Requests from other sites are refused");
    }
    return undefined;
  };
}

/** Returns true for an IP address, with or without a port. DNS rebinding needs a name. */
function isAddress(host: string): boolean {
  return /^(\d{1,3}(\.\d{1,3}){3}|\[[0-9a-f:.]+\])(:\d{1,5})?$/i.test(host);
}

/** Returns the name of `name:port` in lower case. */
function toName(host: string): string {
  return host.toLowerCase().replace(/:\d{1,5}$/, "");
}
