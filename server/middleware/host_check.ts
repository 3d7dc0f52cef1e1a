// Keeps web pages away from the TCP listener: a name that an attacker points at this machine (DNS rebinding), and
// requests that another site's page makes in a browser.
import type { MiddlewareHandler } from "hono";
import { toHostName, toOrigin } from "../../base/web_origin.ts";
import { RequestRefused } from "../../api/errors.ts";

/** What the listener answers to. */
export interface HostCheckOptions {
  /** Further names beside `localhost` and IP addresses: the bound host, and config.yaml's `http.hosts`. */
  hosts: readonly string[];
  /** Origins of a proxy in front or of an app: `https://inkling.example`, `app://obsidian.md`. */
  origins: readonly string[];
  /** Whether a request may come from another site: somebody follows a link, and that changes nothing. */
  isFollowed?: (request: Request) => boolean;
}

/** Refuses another `Host`, and none, with 421, a foreign `Origin` or `Sec-Fetch-Site: cross-site` with 403. */
export function hostCheck(options: HostCheckOptions): MiddlewareHandler {
  const names = new Set(["localhost", ...options.hosts].flatMap((one) => toHostName(one) ?? []));
  const origins = new Set(options.origins.flatMap((one) => toOrigin(one) ?? []));
  const isAdmitted = (origin = "") => origins.has(origin.toLowerCase());
  const isOurs = (host: string) => isAddress(host) || names.has(toName(host));
  return async (c, next) => {
    const { url } = c.req.raw;
    // An absolute address brings a host as well, which must not say otherwise.
    const target = URL.canParse(url) ? new URL(url).host : "";
    const host = c.req.header("host") ?? "";
    if (!isOurs(host) || !isOurs(target)) {
      throw new RequestRefused(421, "The Host header names no host of this service");
    }
    const origin = c.req.header("origin");
    const isOwn = origin === undefined || origin === `http://${host.toLowerCase()}`;
    if (!isOwn && !isAdmitted(origin)) {
      throw new RequestRefused(403, "Requests of other origins are refused");
    }
    // An origin that config.yaml admits is a site of its own to the browser.
    const isForeign = c.req.header("sec-fetch-site") === "cross-site" && !isAdmitted(origin);
    if (isForeign && !options.isFollowed?.(c.req.raw)) {
      throw new RequestRefused(403, "Requests of other sites are refused");
    }
    await next();
  };
}

/** An address, with or without a port: nobody can point it elsewhere. */
function isAddress(host: string): boolean {
  return /^(\d{1,3}(\.\d{1,3}){3}|\[[0-9a-f:.]+\])(:\d{1,5})?$/i.test(host);
}

/** The name of `name:port`, in lower case. */
function toName(host: string): string {
  return host.toLowerCase().replace(/:\d{1,5}$/, "");
}
