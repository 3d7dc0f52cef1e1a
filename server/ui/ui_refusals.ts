// What the loopback proxy itself says: a page that tells a person what to do, and for a script the service's form of errors.
import { noticePage, wantsPage } from "../notice_page.ts";

/** What a request is refused with. */
export interface UiRefusal {
  status: number;
  heading: string;
  sentence: string;
  /** What to type, where that helps. */
  command?: string;
}

/** The refusals, each with what to do next. */
export const UI_REFUSALS = {
  used: {
    status: 403,
    heading: "This link has been used",
    sentence: "A link works once, for an hour, and until a newer one is made. " +
      'Type "inkling ui" again: it gives a new one. If it was not you who used this one, end the page with Ctrl+C ' +
      'in the terminal where "inkling ui" runs, or with "inkling ui --stop".',
    command: "inkling ui",
  },
  notAdmitted: {
    status: 403,
    heading: "Open the page from the terminal",
    sentence: "This browser has not been let in, or the page was started anew since then. " +
      'Type "inkling ui": it opens the page, and prints a link.',
    command: "inkling ui",
  },
  ahead: {
    status: 403,
    heading: "Open the link yourself",
    sentence: "The browser asked ahead of you. Nothing has happened: the link still works.",
  },
  otherPage: {
    status: 403,
    heading: "This came from another page",
    sentence: "Requests of other pages are refused. " +
      'To see the dashboard, type "inkling ui", or enter its address yourself.',
    command: "inkling ui",
  },
  wrongMethod: {
    status: 405,
    heading: "This is not how the page is opened",
    sentence: 'Open the address that "inkling ui" prints.',
    command: "inkling ui",
  },
  otherHost: {
    status: 421,
    heading: "This address is not the page's",
    sentence:
      'The Host header does not name this proxy. Open the address that "inkling ui" prints.',
    command: "inkling ui",
  },
  unreachable: {
    status: 502,
    heading: "The service does not answer",
    sentence: 'The service does not answer. "inkling start -d" starts it; then try again.',
    command: "inkling start -d",
  },
} as const satisfies Record<string, UiRefusal>;

/** Nobody keeps what the proxy itself says, and nobody learns the address with the token from it. */
export const OWN_HEADERS = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** The answer to a request that is refused. */
export async function refuse(request: Request, refusal: UiRefusal): Promise<Response> {
  const { status, heading, sentence, command } = refusal;
  if (!wantsPage(request)) {
    return Response.json({ detail: sentence }, { status, headers: OWN_HEADERS });
  }
  return await noticePage({
    heading,
    status,
    headers: { "referrer-policy": OWN_HEADERS["referrer-policy"] },
    body: `<p>${sentence}</p>${command === undefined ? "" : `<pre tabindex="0">${command}</pre>`}`,
  });
}
