// Runs the loopback proxy for browsers, which can neither open a Unix socket nor send an API key. The proxy listens on
// 127.0.0.1, admits a browser with the token of an unused link, and forwards its requests to the service.
import { socketTransport } from "../../api/client/client_transport.ts";
import { SystemClock } from "../../base/clock.ts";
import { join } from "../../base/plain_path.ts";
import { writeFileAtomically } from "../../base/files/atomic_file.ts";
import { ignoreMissing } from "../../base/files/missing.ts";
import { listenOnTcp, PortUnavailable, type TcpListener } from "../listeners/tcp_port.ts";
import { cookieValues, createSecret, createSecretMatch } from "../login/secret_text.ts";
import { SIGN_IN_COOKIE } from "../../api/operations/sign_in_cookie.ts";
import { opensSignInCallback } from "../../runtime/vocabulary/sign_in_paths.ts";
import { ENTRY_PATH, removeUiLinks, UI_HOST, useUiLink } from "./ui_links.ts";
import { OWN_HEADERS, refuse, UI_REFUSALS, type UiRefusal } from "./ui_refusals.ts";

const MAX_FORM_BYTES = 1_024;

/** The options of the proxy. */
export interface UiProxyOptions {
  /** The private folder of this user that contains the links and the port. */
  stateDir: string;
  /** The service's Unix socket. Each request opens a connection to it. */
  socketFile: string;
  /** The path of the first page, `/ui`. */
  home: string;
  /** Called with a warning, for example when the proxy closes excess connections. */
  warn: (message: string) => void;
}

/** A running proxy. */
export interface UiProxy extends AsyncDisposable {
  readonly port: number;
  /** The saved port if another program uses it; absent otherwise. */
  readonly takenPort?: number;
}

/** Starts the proxy on its saved port. Disposing it aborts the requests under way. */
export async function openUiProxy(options: UiProxyOptions): Promise<UiProxy> {
  const { stateDir, socketFile, home } = options;
  const service = socketTransport(socketFile);
  const closing = new AbortController();
  const clock = new SystemClock();
  const { listener, ...found } = await listenOnStablePort(
    stateDir,
    (port) =>
      listenOnTcp({ port, host: UI_HOST }, {
        handler: (request) => handle(request),
        clock,
        log: { write: (_level, message) => options.warn(message) },
      }),
  );
  const { port } = listener;
  const place = { stateDir, port };
  const authority = `${UI_HOST}:${port}`;
  // The cookie of admitted browsers, which is valid while the proxy runs. Its name contains the port, because a browser
  // shares cookies between the ports of a host.
  const cookieName = `inkling_ui_${port}`;
  const secret = createSecret();
  const isSecret = createSecretMatch(secret);
  const setCookie = `${cookieName}=${secret}; HttpOnly; SameSite=Strict; Path=/`;

  async function handle(request: Request): Promise<Response> {
    const refusal = refusalOf(request, authority);
    if (refusal !== undefined) return await refuse(request, refusal);
    const url = new URL(request.url);
    const isAdmitted = cookieValues(request.headers, cookieName).some(isSecret);
    if (url.pathname === ENTRY_PATH) {
      if (isPrefetch(request)) return await refuse(request, UI_REFUSALS.prefetched);
      const token = await readToken(request);
      if (token === undefined) return await refuse(request, UI_REFUSALS.wrongMethod);
      const isValid = await useUiLink(token, { ...place, clock });
      if (!isValid && !isAdmitted) return await refuse(request, UI_REFUSALS.used);
      const headers = isValid ? { "set-cookie": setCookie } : undefined;
      return request.method === "POST" ? refreshTo(home, headers) : redirectTo(home, headers);
    }
    // The browser omits the strict cookie, because the authorization server's page leads to this address.
    if (!isAdmitted && !opensSignInCallback(request)) {
      return await refuse(request, UI_REFUSALS.notAdmitted);
    }
    return await forward(request, url.pathname + url.search);
  }

  async function forward(request: Request, path: string): Promise<Response> {
    try {
      const response = await service.fetch(path, {
        method: request.method,
        headers: toServiceHeaders(request.headers),
        body: request.body,
        redirect: "manual",
        signal: closing.signal,
      });
      // The body is streamed. When the browser disconnects, the body is canceled and the service notices.
      return new Response(response.body, {
        status: response.status,
        headers: toBrowserHeaders(response.headers),
      });
    } catch {
      // Answers with the same page for all causes: no socket, no listener, a broken connection.
      return await refuse(request, UI_REFUSALS.unreachable);
    }
  }

  return {
    port,
    ...found,
    async [Symbol.asyncDispose]() {
      closing.abort();
      const closed = listener.close();
      listener.abort();
      await closed;
      service.close?.();
      await removeUiLinks(place);
    },
  };
}

/** Returns true for a prefetch of the browser, which must not use a link up. */
function isPrefetch({ headers }: Request): boolean {
  return /prefetch|prerender/i.test(headers.get("sec-purpose") ?? headers.get("purpose") ?? "");
}

/** Returns the token of an entry request: from its address, or from the form of the link's file. */
async function readToken(request: Request): Promise<string | undefined> {
  if (request.method === "GET") return new URL(request.url).searchParams.get("token") ?? "";
  const length = Number(request.headers.get("content-length") ?? NaN);
  if (request.method !== "POST" || !(length <= MAX_FORM_BYTES)) return undefined;
  return new URLSearchParams(await request.text()).get("token") ?? "";
}

/** Returns the refusal of a request to another host name or from another page. */
function refusalOf(request: Request, authority: string): UiRefusal | undefined {
  const { url, headers } = request;
  const isOurs = headers.get("host") === authority &&
    URL.canParse(url) && new URL(url).host === authority;
  if (!isOurs) return UI_REFUSALS.otherHost;
  // The page in the link's file has no origin and counts as another site, but its token is checked.
  if (request.method === "POST" && new URL(url).pathname === ENTRY_PATH) return undefined;
  // The service checks the secrets of this request.
  if (opensSignInCallback(request)) return undefined;
  const origin = headers.get("origin");
  // For a browser, all ports of 127.0.0.1 are one site, so SameSite does not block the pages of other ports.
  const site = headers.get("sec-fetch-site") ?? "none";
  const isForeign = origin !== null && origin !== `http://${authority}` ||
    site !== "same-origin" && site !== "none";
  return isForeign ? UI_REFUSALS.otherPage : undefined;
}

/**
 * Returns a page that forwards the browser to the first page. The browser opened the link as a local file. After a
 * redirect, the browser would still treat that file as the initiator of the request, and would not send the new cookie.
 */
function refreshTo(home: string, headers: Record<string, string> = {}): Response {
  const page =
    `<!doctype html><meta charset="utf-8"><title>Inkling</title><meta http-equiv="refresh" content="0; url=${home}">`;
  return new Response(page, {
    headers: { ...OWN_HEADERS, ...headers, "content-type": "text/html; charset=utf-8" },
  });
}

/** Redirects to the first page, whose address contains no token. */
function redirectTo(home: string, headers: Record<string, string> = {}): Response {
  return new Response(null, {
    status: 303,
    headers: { ...OWN_HEADERS, ...headers, location: home },
  });
}

// Saves the port of the page, so that bookmarks and the browser's storage for the page remain valid.

/**
 * Listens on the saved port, or on another port if the saved port is in use, which is then `takenPort`. Saves the port of
 * the first start.
 */
async function listenOnStablePort(
  stateDir: string,
  listen: (port: number) => TcpListener,
): Promise<{ listener: TcpListener; takenPort?: number }> {
  const file = join(stateDir, "ui.port");
  const kept = Number((await Deno.readTextFile(file).catch(ignoreMissing))?.trim());
  const isPort = Number.isInteger(kept) && kept > 0 && kept < 65_536;
  if (!isPort) {
    const listener = listen(0);
    await writeFileAtomically(file, `${listener.port}\n`, { mode: 0o600 });
    return { listener };
  }
  try {
    return { listener: listen(kept) };
  } catch (error) {
    if (!(error instanceof PortUnavailable)) throw error;
    return { listener: listen(0), takenPort: kept };
  }
}

// Selects the headers that the proxy forwards. It drops the headers of one connection and the browser's credentials.

/** The headers of one connection (RFC 9110, section 7.6.1), with the names that old clients and proxies use. */
const HOP_BY_HOP = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/** The headers of a browser that the proxy has checked and does not forward. */
const OF_THE_BROWSER = ["host", "cookie", "origin", "referer", "x-api-key", "accept-encoding"];

/** Returns the headers for the service from those of a browser's request. */
function toServiceHeaders(headers: Headers): Headers {
  const kept = withoutHopByHop(headers);
  for (const name of OF_THE_BROWSER) kept.delete(name);
  const cookies = (headers.get("cookie") ?? "").split(/; */);
  const ofSignIns = cookies.filter((one) => one.startsWith(SIGN_IN_COOKIE));
  if (ofSignIns.length > 0) kept.set("cookie", ofSignIns.join("; "));
  for (const name of [...kept.keys()]) {
    if (/^(sec-|x-forwarded-|forwarded$)/.test(name)) kept.delete(name);
  }
  // Request an uncompressed body: fetch() would decompress the body, which would then be longer than its Content-Length.
  kept.set("accept-encoding", "identity");
  return kept;
}

/** Returns the headers for the browser from those of the service's response. */
function toBrowserHeaders(headers: Headers): Headers {
  const kept = withoutHopByHop(headers);
  // All other cookies of this origin are the proxy's.
  if (!kept.get("set-cookie")?.startsWith(SIGN_IN_COOKIE)) kept.delete("set-cookie");
  return kept;
}

function withoutHopByHop(headers: Headers): Headers {
  const kept = new Headers(headers);
  const named = (headers.get("connection") ?? "").split(",").map((name) => name.trim());
  for (const name of [...HOP_BY_HOP, ...named]) {
    // `Connection` may contain any text; delete() throws for an invalid header name.
    if (/^[\w!#$%&'*+.^`|~-]+$/.test(name)) kept.delete(name);
  }
  return kept;
}
