// The loopback proxy that lets one browser in: a browser can neither open a Unix socket nor add a key to what it
// opens. It listens on 127.0.0.1, admits whoever brings the one-time token first, and passes everything on.
//
// The arguments of the program that opens a browser can be read by every user of the machine. So what is opened is a file
// that only this user can read, and that file brings the token.
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { SystemClock } from "../../base/clock.ts";
import { listenOnTcp } from "../listeners/tcp_port.ts";
import { BrowserSession } from "./browser_session.ts";
import { toBrowserHeaders, toServiceHeaders } from "./forwarded_headers.ts";
import { ignoreMissing } from "../../base/files/missing.ts";

const HOST = "127.0.0.1";
/** The path of the address with the token. The service has no such path. */
const ENTRY_PATH = "/open";
const MAX_FORM_BYTES = 1_024;

/** What a request is refused with. */
interface Refusal {
  status: number;
  sentence: string;
}

/** What the proxy stands in front of. */
export interface UiProxyOptions {
  /** The service's Unix socket. Whether it answers is looked at with each request. */
  socketFile: string;
  /** The path where a browser begins: `/ui`. */
  home: string;
  /** Hears, once a minute at most, that connections are refused or closed because there are too many. */
  warn: (message: string) => void;
}

/** A proxy that listens. */
export interface UiProxy extends AsyncDisposable {
  /** For a person to open; works once. Whoever has it first is in, so it belongs in no log and in no arguments. */
  readonly address: string;
  /** For a program to open: a file (mode 600) that brings the token, until it was used or the proxy is disposed of. */
  readonly file: URL;
}

/** Listens on a free port until disposed; that breaks off whatever still goes through. */
export async function openUiProxy(options: UiProxyOptions): Promise<UiProxy> {
  const { socketFile, home } = options;
  const service = Deno.createHttpClient({ proxy: { transport: "unix", path: socketFile } });
  const closing = new AbortController();
  const listener = listenOnTcp({ port: 0, host: HOST }, {
    handler: (request) => handle(request),
    clock: new SystemClock(),
    log: { write: (_level, message) => options.warn(message) },
  });
  const { port } = listener;
  const authority = `${HOST}:${port}`;
  const session = new BrowserSession({ port });
  // Beside the socket, in a folder that is this user's alone.
  const file = join(dirname(socketFile), `ui-${crypto.randomUUID()}.html`);

  async function handle(request: Request): Promise<Response> {
    const refusal = refusalOf(request, authority);
    if (refusal !== undefined) return refuse(request, refusal);
    const url = new URL(request.url);
    const isAdmitted = session.admits(request.headers.get("cookie"));
    if (url.pathname === ENTRY_PATH) {
      const token = await readToken(request);
      if (token === undefined) return refuse(request, { status: 405, sentence: NOT_ADMITTED });
      const cookie = session.exchange(token);
      if (cookie === undefined && !isAdmitted) {
        return refuse(request, { status: 403, sentence: USED_UP });
      }
      await Deno.remove(file).catch(ignoreMissing);
      const headers = cookie === undefined ? undefined : { "set-cookie": cookie };
      return request.method === "POST" ? lead(home, headers) : enter(home, headers);
    }
    if (!isAdmitted) return refuse(request, { status: 403, sentence: NOT_ADMITTED });
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
      return refuse(request, { status: 502, sentence: UNREACHABLE });
    }
  }

  const close = async () => {
    closing.abort();
    const closed = listener.close();
    listener.cut();
    await closed;
    service.close();
    await Deno.remove(file).catch(ignoreMissing);
  };
  try {
    const page = entryPage(`http://${authority}${ENTRY_PATH}`, session.token);
    await Deno.writeTextFile(file, page, { mode: 0o600, createNew: true });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    address: `http://${authority}${ENTRY_PATH}?token=${session.token}`,
    file: pathToFileURL(file),
    [Symbol.asyncDispose]: close,
  };
}

/** The token that a request for the entry brings: in its address, or in the form that the file sends. */
async function readToken(request: Request): Promise<string | undefined> {
  if (request.method === "GET") return new URL(request.url).searchParams.get("token") ?? "";
  const length = Number(request.headers.get("content-length") ?? NaN);
  if (request.method !== "POST" || !(length <= MAX_FORM_BYTES)) return undefined;
  return new URLSearchParams(await request.text()).get("token") ?? "";
}

/** A page that brings the token by itself, in a form: so it stands in no address either. */
function entryPage(action: string, token: string): string {
  return `<!doctype html><meta charset="utf-8"><title>Inkling</title>
<form method="post" action="${action}">
<input type="hidden" name="token" value="${token}"><button>Open Inkling</button>
</form><script>document.forms[0].submit()</script>
`;
}

const USED_UP = 'This address works once, and it was used already. "inkling ui" gives a new one. ' +
  "If it was not you who used it, end the command with Ctrl+C.";
const NOT_ADMITTED = 'Open the address that "inkling ui" prints.';
const UNREACHABLE = 'The service does not answer. "inkling start -d" starts it; then try again.';

/** Nobody keeps what the proxy itself says, and nobody learns the address with the token from it. */
const OWN_HEADERS = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** Why a request is refused before anybody asks who sends it: it was sent to another name, or by another page. */
function refusalOf(request: Request, authority: string): Refusal | undefined {
  const { url, headers } = request;
  const isOurs = headers.get("host") === authority &&
    URL.canParse(url) && new URL(url).host === authority;
  if (!isOurs) {
    return { status: 421, sentence: "The Host header does not name this proxy." };
  }
  // A file has no origin, and is another site; what counts is the token that it brings.
  if (request.method === "POST" && new URL(url).pathname === ENTRY_PATH) return undefined;
  const origin = headers.get("origin");
  // To a browser every port of 127.0.0.1 is the same site, so that SameSite keeps none of their pages out.
  const site = headers.get("sec-fetch-site") ?? "none";
  const isForeign = origin !== null && origin !== `http://${authority}` ||
    site !== "same-origin" && site !== "none";
  if (!isForeign) return undefined;
  return { status: 403, sentence: `Requests of other pages are refused. ${NOT_ADMITTED}` };
}

/** For a person as text, for a script in the form of the service's own errors. */
function refuse(request: Request, { status, sentence }: Refusal): Response {
  if (!request.headers.get("accept")?.includes("text/html")) {
    return Response.json({ detail: sentence }, { status, headers: OWN_HEADERS });
  }
  return new Response(`${sentence}\n`, {
    status,
    headers: { ...OWN_HEADERS, "content-type": "text/plain; charset=utf-8" },
  });
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
