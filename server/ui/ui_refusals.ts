// Defines the refusals of the loopback proxy: a page with instructions for a person, a JSON error for a script.
import { acceptsHtml, noticePage } from "../html/notice_page.ts";

/** The texts of a refusal. */
export interface UiRefusal {
  status: number;
  heading: string;
  sentence: string;
  /** The command to type. */
  command?: string;
}

/** The refusals, each with the next step. */
export const UI_REFUSALS = {
  used: {
    status: 403,
    heading: "This link has been used",
    sentence: "A link works once, for one hour, and only until a newer link is created. " +
      'Run "inkling ui" again to get a new link. If you did not use this link yourself, stop the page: press Ctrl+C ' +
      'in the terminal where "inkling ui" runs, or run "inkling ui --stop".',
    command: "inkling ui",
  },
  notAdmitted: {
    status: 403,
    heading: "Open the page from the terminal",
    sentence: "This browser has no access yet, or the page has been restarted since. " +
      'Run "inkling ui": it opens the page and prints a link.',
    command: "inkling ui",
  },
  prefetched: {
    status: 403,
    heading: "Open the link yourself",
    sentence: "The browser prefetched the link, which does not use it up. The link still works.",
  },
  otherPage: {
    status: 403,
    heading: "This request came from another page",
    sentence: "Requests from other pages are refused. " +
      'To open the dashboard, run "inkling ui" or enter its address yourself.',
    command: "inkling ui",
  },
  wrongMethod: {
    status: 405,
    heading: "The request has the wrong method",
    sentence: 'Open the address that "inkling ui" prints.',
    command: "inkling ui",
  },
  otherHost: {
    status: 421,
    heading: "Wrong address",
    sentence:
      'The Host header is not the address of this page. Open the address that "inkling ui" prints.',
    command: "inkling ui",
  },
  unreachable: {
    status: 502,
    heading: "The service does not answer",
    sentence: 'The service does not answer. Start it with "inkling start -d", then try again.',
    command: "inkling start -d",
  },
} as const satisfies Record<string, UiRefusal>;

/**
 * The headers of the proxy's own responses. Caches must not store the responses, and other sites must not receive the
 * address, because it may contain the token.
 */
export const OWN_HEADERS = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** Returns the response to a refused request. */
export async function refuse(request: Request, refusal: UiRefusal): Promise<Response> {
  const { status, heading, sentence, command } = refusal;
  if (!acceptsHtml(request)) {
    return Response.json({ detail: sentence }, { status, headers: OWN_HEADERS });
  }
  return await noticePage({
    heading,
    status,
    headers: { "referrer-policy": OWN_HEADERS["referrer-policy"] },
    body: `<p>${sentence}</p>${command === undefined ? "" : `<pre tabindex="0">${command}</pre>`}`,
  });
}
