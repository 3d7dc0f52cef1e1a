// Handles the log-in of a browser over TCP: a page accepts the API key and sets a cookie. A request with this cookie is
// accepted only if it comes from the service's own page.
import type { MiddlewareHandler } from "hono";
import type { Clock } from "../../base/clock.ts";
import { SECOND_MS } from "../../base/time_units.ts";
import { RequestRefused } from "../../api/errors.ts";
import type { Caller } from "../../runtime/vocabulary/callers.ts";
import { withAddress } from "../middleware/caller.ts";
import { type FindKey, LOGIN_PATH, type RefusedKeys } from "../middleware/api_key.ts";
import { acceptsHtml, escapeHtml, noticePage } from "../html/notice_page.ts";
import { readForm } from "../../api/operations/request_body.ts";
import { opensDashboard } from "../routes/dashboard.ts";
import { Logins } from "./logins.ts";

/**
 * The delay of the response to a wrong key, and the maximum number of such responses that wait at a time. Together they
 * limit the attempts per second.
 */
export const WRONG_KEY = { waitsMs: SECOND_MS, mostWaiting: 16 };
const MAX_FORM_BYTES = 8_192;
const LOGOUT_PATH = "/logout";

/** A link to another way to log in. */
export interface LoginLink {
  address: string;
  /** The text of the link. */
  label: string;
}

/** The middleware and checks of the log-in on one port. */
export interface LoginGuards {
  isLoggedIn(request: Request): boolean;
  /** Returns the owner of the request's log-in. Throws RequestRefused if another page sent the request. */
  find(request: Request): Promise<Caller | undefined>;
  /** Starts a log-in without a key, and returns its `Set-Cookie` value. */
  start: Logins["start"];
  /** Returns the log-in page if the request opens the dashboard. */
  explain(request: Request): Promise<Response> | undefined;
  /**
   * The middleware for a person whose log-in is refused because of Host or Origin: it shows the line to add to config.yaml.
   * Runs before the check of Host and Origin.
   */
  explainRefusals: MiddlewareHandler;
  /** The middleware that logs in and out. Runs after the check of Host and Origin. */
  respond: MiddlewareHandler;
}

/** Creates the log-in of one port. */
export function createLogin(
  options: {
    findKey: FindKey;
    refused: RefusedKeys;
    clock: Clock;
    port: number;
    /** Records a log-in, before its cookie is sent. */
    signedIn?: (caller: Caller) => Promise<void>;
    /** Records a log-out. */
    signedOut?: (caller: Caller) => Promise<void>;
    /** Returns the link to another way to log in. */
    findLink?: () => LoginLink | undefined;
  },
): LoginGuards {
  const { findKey, refused, clock, findLink } = options;
  const logins = new Logins(options);
  const loginOf = (request: Request) => logins.find(request.headers);
  const loginPage = (fault?: keyof typeof FAULTS) => createLoginPage(findLink?.(), fault);
  let waiting = 0;

  async function logIn(request: Request, address: string | null | undefined): Promise<Response> {
    const origin = requireOrigin(request);
    const form = await readForm(request, { clock, maxBytes: MAX_FORM_BYTES });
    if (waiting >= WRONG_KEY.mostWaiting) return await loginPage("too_many");
    // Trim the key, because a pasted key may end with a line break, and no key contains one.
    const key = (form.get("key") ?? "").trim();
    const findOwner = async () => {
      const owner = await findKey(key);
      return owner && { ...owner, via: "page" as const };
    };
    const owner = await findOwner();
    if (owner === undefined) {
      refused.count();
      waiting++;
      await clock.sleep(WRONG_KEY.waitsMs).finally(() => waiting--);
      return await loginPage("wrong_key");
    }
    // The scheme of the checked origin says whether the browser uses TLS, so a proxy need not send a header for that.
    await options.signedIn?.(withAddress(owner, address));
    const cookie = logins.start({ findOwner, isSecure: /^https:/i.test(origin) });
    return redirectToDashboard({ "set-cookie": cookie });
  }

  return {
    isLoggedIn: (request) => loginOf(request) !== undefined,
    async find(request) {
      const login = loginOf(request);
      if (login !== undefined) requireOwnPage(request);
      return await login?.findOwner();
    },
    start: (login) => logins.start(login),
    explain: (request) => opensDashboard(request) ? loginPage() : undefined,
    async explainRefusals(c, next) {
      await next();
      const { error, req: { path, raw } } = c;
      if (path !== LOGIN_PATH || !(error instanceof RequestRefused) || !acceptsHtml(raw)) return;
      // If the page of another site posts the form, omit the hint about config.yaml.
      const isOwnPage = (c.req.header("sec-fetch-site") ?? "same-origin") === "same-origin";
      if (isOwnPage && (error.status === 403 || error.status === 421)) {
        c.res = await originPage(raw, error);
      }
    },
    async respond(c, next) {
      const { method, path, raw } = c.req;
      if (path === LOGIN_PATH) {
        requireMethod(method, ["GET", "HEAD", "POST"]);
        return method === "POST" ? await logIn(raw, c.env?.address) : redirectToDashboard();
      }
      if (path === LOGOUT_PATH) {
        requireMethod(method, ["POST"]);
        const owner = await loginOf(raw)?.findOwner();
        const cookie = logins.end(raw.headers);
        if (owner !== undefined) await options.signedOut?.(withAddress(owner, c.env?.address));
        return new Response(null, { status: 204, headers: { "set-cookie": cookie } });
      }
      await next();
    },
  };
}

/** Throws RequestRefused if another page sent the request. A browser adds the cookie to requests of other ports' pages, too. */
function requireOwnPage(request: Request): void {
  const site = request.headers.get("sec-fetch-site") ?? "none";
  if (site !== "same-origin" && site !== "none") {
    throw new RequestRefused(403, "Requests from other pages are refused");
  }
  if (request.method !== "GET" && request.method !== "HEAD") requireOrigin(request);
}

/** Returns the Origin header, which every browser sends with a change. The host check validates it. Throws RequestRefused. */
function requireOrigin({ headers }: Request): string {
  const origin = headers.get("origin");
  if (origin !== null) return origin;
  throw new RequestRefused(
    403,
    "A request with a log-in cookie needs an Origin header to change something; programs send X-API-Key",
  );
}

function requireMethod(method: string, allowed: readonly string[]): void {
  if (allowed.includes(method)) return;
  const headers = { allow: allowed.join(", ") };
  throw new RequestRefused(405, "Method Not Allowed", { headers });
}

/** Redirects to the dashboard. The location is relative, because a proxy may serve it under any path. */
function redirectToDashboard(headers: Record<string, string> = {}): Response {
  return new Response(null, {
    status: 303,
    headers: { location: "ui", "cache-control": "no-store", ...headers },
  });
}

const FAULTS = {
  wrong_key: { status: 401, text: "This is not an API key of this service." },
  too_many: {
    status: 429,
    text: "Too many attempts with a wrong key. Try again in a moment.",
  },
};

/** The script of the form: it adds the fragment of the address, which is the requested view, to the form's address. */
const KEEP_PLACE = "document.forms[0].action += location.hash;";

/** Returns the log-in page, with the error of a failed attempt. */
async function createLoginPage(
  link: LoginLink | undefined,
  fault: keyof typeof FAULTS | undefined,
): Promise<Response> {
  const { status, text } = fault === undefined ? { status: 401, text: "" } : FAULTS[fault];
  const message = text === "" ? "" : `<p class="fault" role="alert" id="fault">${text}</p>`;
  return await noticePage({
    heading: "Log in",
    status,
    ...(status === 429 && { headers: { "retry-after": "1" } }),
    script: KEEP_PLACE,
    body: `${
      link === undefined
        ? ""
        : `<p><a class="button" href="${escapeHtml(link.address)}">${
          escapeHtml(link.label)
        }</a></p>\n`
    }<form method="post" action="login">
<label for="key">API key</label>
<input type="password" id="key" name="key" autocomplete="current-password" required autofocus${
      message === "" ? "" : ' aria-describedby="fault" aria-invalid="true"'
    }>
${message}
<button>Log in</button>
</form>
<p class="muted">Enter your own key, which <code>inkling key add</code> has shown, or the key of the service: the value of <code>--api-key</code> or <code>INKLING_API_KEY</code> at the start of the
service. You stay logged in until you log out or the service restarts, for 7 days at most.</p>
<p class="muted">On the machine of the service, <code>inkling ui</code> opens the page without a key.</p>`,
  });
}

/** Returns the page for a person behind an unknown proxy, with the line for config.yaml that allows its address. */
async function originPage(request: Request, { status }: RequestRefused): Promise<Response> {
  const line = status === 421
    ? `hosts: ["${escapeHtml(request.headers.get("host") ?? "")}"]`
    : `origins: ["${escapeHtml(request.headers.get("origin") ?? "https://…")}"]`;
  return await noticePage({
    heading: "The service does not know this address",
    status,
    body: `<p>You are not logged in. If this is the address of your own proxy, add these lines to
<code>config.yaml</code>, restart the service, and open the page again:</p>
<pre tabindex="0">http:
  ${line}</pre>
<p><a href="ui">Back to the log-in</a></p>`,
  });
}
