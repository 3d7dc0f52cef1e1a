// The log-in of a person over TCP: a page takes the API key once and sets a cookie, and what a browser sends along with that
// cookie counts only where our own page asked for it.
import type { Context, MiddlewareHandler } from "hono";
import type { Clock } from "../../base/clock.ts";
import { SECOND_MS } from "../../base/time_units.ts";
import { RequestRefused } from "../../api/errors.ts";
import { LOGIN_PATH, type RefusedKeys } from "../middleware/api_key.ts";
import { wantsPage } from "../notice_page.ts";
import { readForm } from "../../api/operations/request_body.ts";
import { opensDashboard } from "../routes/dashboard.ts";
import { EVENT_STREAM } from "../../base/text/event_stream.ts";
import { loginPage, originPage } from "./login_page.ts";
import { type Login, Logins } from "./logins.ts";

/** How long a wrong key waits for its answer, and how many may wait: so no more than that are tried in a second. */
export const WRONG_KEY = { waitsMs: SECOND_MS, mostWaiting: 16 };
const MAX_FORM_BYTES = 8_192;
const LOGOUT_PATH = "/logout";

/** The parts of the log-in that stand in the application of a port. */
export interface LoginGuards {
  isLoggedIn(request: Request): boolean;
  /** Whether a request without a key may pass because of its cookie. Throws RequestRefused where a cookie comes with what our page did not ask for. */
  admits(request: Request): boolean;
  /** The log-in page for a person who opens the dashboard. */
  explain(request: Request): Promise<Response> | undefined;
  /** Stands before the check of Host and Origin: tells a person which line of config.yaml is missing. */
  explainRefusals: MiddlewareHandler;
  /** Stands behind it: logs in and out, and ends streams with their log-in. */
  respond: MiddlewareHandler;
}

/** The log-in of one port. */
export function createLogin(
  options: {
    isKey: (text: string) => boolean;
    refused: RefusedKeys;
    clock: Clock;
    port: number;
  },
): LoginGuards {
  const { isKey, refused, clock } = options;
  const logins = new Logins(options);
  const loginOf = (request: Request) => logins.find(request.headers);
  let waiting = 0;

  async function logIn(request: Request): Promise<Response> {
    const origin = requireOrigin(request);
    const form = await readForm(request, { clock, maxBytes: MAX_FORM_BYTES });
    if (waiting >= WRONG_KEY.mostWaiting) return await loginPage("too_many");
    // What is copied brings a line end along; no key has one.
    if (!isKey((form.get("key") ?? "").trim())) {
      refused.count();
      waiting++;
      await clock.sleep(WRONG_KEY.waitsMs).finally(() => waiting--);
      return await loginPage("wrong_key");
    }
    // The origin is ours, or one that config.yaml admits: a proxy needs no header to say that it speaks TLS.
    return leadToDashboard({ "set-cookie": logins.begin({ isSecure: /^https:/i.test(origin) }) });
  }

  return {
    isLoggedIn: (request) => loginOf(request) !== undefined,
    admits(request) {
      if (loginOf(request) === undefined) return false;
      requireOwnPage(request);
      return true;
    },
    explain: (request) => opensDashboard(request) ? loginPage() : undefined,
    async explainRefusals(c, next) {
      await next();
      const { error, req: { path, raw } } = c;
      if (path !== LOGIN_PATH || !(error instanceof RequestRefused) || !wantsPage(raw)) return;
      // What another site sends here is no person at a proxy that config.yaml does not know yet.
      const isOwnPage = (c.req.header("sec-fetch-site") ?? "same-origin") === "same-origin";
      if (isOwnPage && (error.status === 403 || error.status === 421)) {
        c.res = await originPage(raw, error);
      }
    },
    async respond(c, next) {
      const { method, path, raw } = c.req;
      if (path === LOGIN_PATH) {
        requireMethod(method, ["GET", "HEAD", "POST"]);
        return method === "POST" ? await logIn(raw) : leadToDashboard();
      }
      if (path === LOGOUT_PATH) {
        requireMethod(method, ["POST"]);
        const cookie = logins.end(raw.headers);
        return new Response(null, { status: 204, headers: { "set-cookie": cookie } });
      }
      const login = loginOf(raw);
      await next();
      if (login !== undefined) endStreamWith(login, c);
    },
  };
}

/** Throws RequestRefused. A browser sends a cookie whoever asks: the other pages of this site, and of other ports, do, too. */
function requireOwnPage(request: Request): void {
  const site = request.headers.get("sec-fetch-site") ?? "none";
  if (site !== "same-origin" && site !== "none") {
    throw new RequestRefused(403, "Requests of other pages are refused");
  }
  if (request.method !== "GET" && request.method !== "HEAD") requireOrigin(request);
}

/** The origin of the page that asks for a change, which browsers always tell; whether it is ours is checked elsewhere. */
function requireOrigin({ headers }: Request): string {
  const origin = headers.get("origin");
  if (origin !== null) return origin;
  throw new RequestRefused(
    403,
    "A log-in changes something only with an Origin header; programs send X-API-Key",
  );
}

function requireMethod(method: string, allowed: readonly string[]): void {
  if (allowed.includes(method)) return;
  const headers = { allow: allowed.join(", ") };
  throw new RequestRefused(405, "Method Not Allowed", { headers });
}

/** Relative: a proxy may have put it anywhere. */
function leadToDashboard(headers: Record<string, string> = {}): Response {
  return new Response(null, {
    status: 303,
    headers: { location: "ui", "cache-control": "no-store", ...headers },
  });
}

/** A stream says something every 10 s, and ends at that where its log-in has ended. */
function endStreamWith(login: Login, c: Context): void {
  const { res } = c;
  if (res.body === null || res.headers.get("content-type") !== EVENT_STREAM) return;
  const whileOpen = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      if (login.isOpen) controller.enqueue(chunk);
      else controller.terminate();
    },
  });
  c.res = new Response(res.body.pipeThrough(whileOpen), res);
}
