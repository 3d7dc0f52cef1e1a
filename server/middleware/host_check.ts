// Checks Host and Origin on the TCP listener. This blocks DNS rebinding, and requests that a page of another site makes in
// a browser.
import type { MiddlewareHandler } from "hono";
import { toHostName, toOrigin } from "../../base/web_origin.ts";
import { readAddress } from "./request_address.ts";
import { RequestRefused } from "../../api/errors.ts";

/** The hosts and origins of the listener. */
export interface HostCheckOptions {
  /** The allowed host names besides `localhost` and IP addresses: the bound host, and `http.hosts` of config.yaml. */
  hosts: readonly string[];
  /** The allowed origins of a reverse proxy or an app: `https://inkling.example`, `app://obsidian.md`. */
  origins: readonly string[];
  /** Returns true if the request may come from another site, because it opens a link and changes nothing. */
  isFollowed?: (request: Request) => boolean;
}

/**
 * Returns the middleware that refuses a missing or foreign `Host` with 421, and a foreign `Origin` or `Sec-Fetch-Site:
 * cross-site` with 403.
 */
export function hostCheck(options: HostCheckOptions): MiddlewareHandler {
  const names = new Set(["localhost", ...options.hosts].flatMap((one) => toHostName(one) ?? []));
  const origins = new Set(options.origins.flatMap((one) => toOrigin(one) ?? []));
  const isAdmitted = (origin = "") => origins.has(origin.toLowerCase());
  const isOurs = (host: string) => isAddress(host) || names.has(toName(host));
  return async (c, next) => {
    const { url } = c.req.raw;
    // A request line with an absolute URL contains a second host, which is checked, too.
    const target = readAddress(url)?.host ?? "";
    const host = c.req.header("host") ?? "";
    if (!isOurs(host) || !isOurs(target)) {
      throw new RequestRefused(421, "The Host header is not a host name of this service");
    }
    const origin = c.req.header("origin");
    const isOwn = origin === undefined || origin === `http://${host.toLowerCase()}`;
    if (!isOwn && !isAdmitted(origin)) {
      throw new RequestRefused(403, "Requests from other origins are refused");
    }
    // Accept `cross-site` with an allowed origin, because browsers send it there, too.
    const isForeign = c.req.header("sec-fetch-site") === "cross-site" && !isAdmitted(origin);
    if (isForeign && !options.isFollowed?.(c.req.raw)) {
      throw new RequestRefused(403, "Requests from other sites are refused");
    }
    await next();
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
