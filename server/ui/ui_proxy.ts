// The loopback proxy that lets browsers in: a browser can neither open a Unix socket nor add a key to what it opens. It
// listens on 127.0.0.1, admits whoever brings the token of a link first, and passes everything on.
import { SystemClock } from "../../base/clock.ts";
import { join } from "node:path";
import { writeFileAtomically } from "../../base/files/atomic_file.ts";
import { ignoreMissing } from "../../base/files/missing.ts";
import { listenOnTcp, PortUnavailable } from "../listeners/tcp_port.ts";
import { cookieValues, createSecret, createSecretMatch } from "../secret_text.ts";
import { ENTRY_PATH, removeUiLinks, UI_HOST, useUiLink } from "./ui_links.ts";
import { OWN_HEADERS, refuse, UI_REFUSALS, type UiRefusal } from "./ui_refusals.ts";

const MAX_FORM_BYTES = 1_024;

/** What the proxy stands in front of. */
export interface UiProxyOptions {
  /** Where links and the port are kept: a folder that is this user's alone. */
  stateDir: string;
  /** The service's Unix socket. Whether it answers is looked at with each request. */
  socketFile: string;
  /** The path where a browser begins: `/ui`. */
  home: string;
  /** Hears, once a minute at most, that connections are refused or closed because there are too many. */
  warn: (message: string) => void;
}

/** A proxy that listens. */
export interface UiProxy extends AsyncDisposable {
  readonly port: number;
  /** The usual port, where another program has it. */
  readonly takenPort?: number;
}

/** Listens on its usual port until disposed; that breaks off whatever still goes through. Links let browsers in. */
export async function openUiProxy(options: UiProxyOptions): Promise<UiProxy> {
  const { stateDir, socketFile, home } = options;
  const service = Deno.createHttpClient({ proxy: { transport: "unix", path: socketFile } });
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
  // The cookie that tokens are exchanged for lives as long as the proxy. Cookies know no ports: each proxy needs a name of its own.
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
      if (isAhead(request)) return await refuse(request, UI_REFUSALS.ahead);
      const token = await readToken(request);
      if (token === undefined) return await refuse(request, UI_REFUSALS.wrongMethod);
      const isLetIn = await useUiLink(token, { ...place, clock });
      if (!isLetIn && !isAdmitted) return await refuse(request, UI_REFUSALS.used);
      const headers = isLetIn ? { "set-cookie": setCookie } : undefined;
      return request.method === "POST" ? lead(home, headers) : enter(home, headers);
    }
    if (!isAdmitted) return await refuse(request, UI_REFUSALS.notAdmitted);
    return await forward(request, `http://localhost${url.pathname}${url.search}`);
  }

  async function forward(request: Request, target: string): Promise<Response> {
    try {
      const response = await fetch(target, {
        client: service,
        method: request.method,
        headers: toServiceHeaders(request.headers),
        body: request.body,
        redirect: "manual",
        signal: closing.signal,
      });
      // The body goes through as it comes; when the browser leaves, it is cancelled, and the service sees that.
      return new Response(response.body, {
        status: response.status,
        headers: toBrowserHeaders(response.headers),
      });
    } catch {
      // Its reason (no socket, nobody listening, a connection that broke) would tell the browser nothing more.
      return await refuse(request, UI_REFUSALS.unreachable);
    }
  }

  return {
    port,
    ...found,
    async [Symbol.asyncDispose]() {
      closing.abort();
      const closed = listener.close();
      listener.cut();
      await closed;
      service.close();
      await removeUiLinks(place);
    },
  };
}

/** Whether the browser fetches what a person may open soon: that must not use a link up. */
function isAhead({ headers }: Request): boolean {
  return /prefetch|prerender/i.test(headers.get("sec-purpose") ?? headers.get("purpose") ?? "");
}

/** The token that a request for the entry brings: in its address, or in the form that the file sends. */
async function readToken(request: Request): Promise<string | undefined> {
  if (request.method === "GET") return new URL(request.url).searchParams.get("token") ?? "";
  const length = Number(request.headers.get("content-length") ?? NaN);
  if (request.method !== "POST" || !(length <= MAX_FORM_BYTES)) return undefined;
  return new URLSearchParams(await request.text()).get("token") ?? "";
}

/** Why a request is refused before anybody asks who sends it: it was sent to another name, or by another page. */
function refusalOf(request: Request, authority: string): UiRefusal | undefined {
  const { url, headers } = request;
  const isOurs = headers.get("host") === authority &&
    URL.canParse(url) && new URL(url).host === authority;
  if (!isOurs) return UI_REFUSALS.otherHost;
  // A file has no origin, and is another site; what counts is the token that it brings.
  if (request.method === "POST" && new URL(url).pathname === ENTRY_PATH) return undefined;
  const origin = headers.get("origin");
  // To a browser every port of 127.0.0.1 is the same site, so that SameSite keeps none of their pages out.
  const site = headers.get("sec-fetch-site") ?? "none";
  const isForeign = origin !== null && origin !== `http://${authority}` ||
    site !== "same-origin" && site !== "none";
  return isForeign ? UI_REFUSALS.otherPage : undefined;
}

/**
 * Leads a browser that a file brought here to the first page. By a redirect it would still come from that file, and bring no
 * cookie: this page is ours, and goes there itself.
 */
function lead(home: string, headers: Record<string, string> = {}): Response {
  const page =
    `<!doctype html><meta charset="utf-8"><title>Inkling</title><meta http-equiv="refresh" content="0; url=${home}">`;
  return new Response(page, {
    headers: { ...OWN_HEADERS, ...headers, "content-type": "text/html; charset=utf-8" },
  });
}

/** Leads to the first page, under an address that holds no token. */
function enter(home: string, headers: Record<string, string> = {}): Response {
  return new Response(null, {
    status: 303,
    headers: { ...OWN_HEADERS, ...headers, location: home },
  });
}

// The port of the page: the same each time, so that a bookmark and what the browser keeps for the page stay of use.

/** A listener, and the port that it was to have but that another program has. */
interface StableListener<Listener> {
  listener: Listener;
  takenPort?: number;
}

/** Listens on the port that the state folder names, or on another while that one is taken. The first one is kept. */
async function listenOnStablePort<Listener extends { port: number }>(
  stateDir: string,
  listen: (port: number) => Listener,
): Promise<StableListener<Listener>> {
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

// Which headers cross the proxy. What speaks of one connection, or lets a browser in, ends here.

/** Of one connection only (RFC 9110, section 7.6.1), and what old clients and proxies write for the same. */
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

/** The proxy has judged by these; the service on its socket knows no browsers. */
const OF_THE_BROWSER = ["host", "cookie", "origin", "referer", "x-api-key", "accept-encoding"];

/** The headers of a browser's request, as the service gets them. */
function toServiceHeaders(headers: Headers): Headers {
  const kept = withoutHopByHop(headers);
  for (const name of OF_THE_BROWSER) kept.delete(name);
  for (const name of [...kept.keys()]) {
    if (/^(sec-|x-forwarded-|forwarded$)/.test(name)) kept.delete(name);
  }
  // What came compressed would be unpacked on the way, and then be longer than its headers say.
  kept.set("accept-encoding", "identity");
  return kept;
}

/** The headers of the service's response, as the browser gets them. */
function toBrowserHeaders(headers: Headers): Headers {
  const kept = withoutHopByHop(headers);
  // The only cookie here is the proxy's own.
  kept.delete("set-cookie");
  return kept;
}

function withoutHopByHop(headers: Headers): Headers {
  const kept = new Headers(headers);
  const named = (headers.get("connection") ?? "").split(",").map((name) => name.trim());
  for (const name of [...HOP_BY_HOP, ...named]) {
    // `Connection` may name anything; what is not a header name names no header.
    if (/^[\w!#$%&'*+.^`|~-]+$/.test(name)) kept.delete(name);
  }
  return kept;
}
