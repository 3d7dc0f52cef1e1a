// Defines the pages of a person's sign-in to a remote MCP server: the browser's return from the authorization server, and
// the document that describes Inkling as a client. They need no API key.
import { RequestRefused } from "../../api/errors.ts";
import { nameSignInCookie, writeSignInCookie } from "../../api/operations/sign_in_cookie.ts";
import { escapeUnseen } from "../../base/text/unseen_characters.ts";
import type { Runtime, SignInOutcome } from "../../runtime/interface/runtime.ts";
import { SIGN_IN_PATHS } from "../../runtime/vocabulary/sign_in_paths.ts";
import { escapeHtml, noticePage } from "../html/notice_page.ts";
import type { PageRoute } from "../html/page.ts";
import { cookieValues } from "../login/secret_text.ts";

/** Returns true if a browser opens the callback. A page of another site leads to it. */
export function opensSignInCallback({ method, url }: Request): boolean {
  return method === "GET" && URL.parse(url)?.pathname === SIGN_IN_PATHS.callback;
}

/** Creates the pages. */
export function createSignInPages({ signIns }: Pick<Runtime, "signIns">): PageRoute[] {
  return [{
    path: SIGN_IN_PATHS.callback,
    async respond(request) {
      // HEAD must not use the answer up.
      if (!opensSignInCallback(request)) {
        throw new RequestRefused(405, "Method Not Allowed", { headers: { allow: "GET" } });
      }
      const answer = new URL(request.url).searchParams;
      const state = answer.get("state") ?? "";
      const proofs = cookieValues(request.headers, nameSignInCookie(state));
      const outcome = await signIns.finish(answer, proofs);
      const isUsed = outcome.outcome === "done" || outcome.outcome === "failed";
      return await outcomePage(outcome, {
        // The address contains the code.
        "referrer-policy": "no-referrer",
        ...(isUsed && {
          "set-cookie": writeSignInCookie({ state, proof: "", lifeMs: 0 }, { isSecure: false }),
        }),
      });
    },
  }, {
    path: SIGN_IN_PATHS.client,
    async respond() {
      const document = await signIns.clientDocument();
      if (document === undefined) throw new RequestRefused(404, "Not Found");
      return Response.json(document);
    },
  }];
}

async function outcomePage(
  outcome: SignInOutcome,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const show = (text: string) => escapeHtml(escapeUnseen(text));
  const page = (status: number, heading: string, sentence: string) =>
    noticePage({
      heading,
      status,
      headers,
      body: `<p>${sentence}</p>\n<p><a href="../ui">Back to Inkling</a></p>`,
    });
  switch (outcome.outcome) {
    case "done": {
      const { server, issuer, continuedRuns: runs, limit } = outcome;
      const continued = runs === 1 ? "The run that waited" : `The ${runs} runs that waited`;
      const sentence = `You are signed in to <b>${show(server)}</b> at ${show(issuer)}.` +
        (runs === 0 ? "" : `</p>\n<p>${continued} for it can continue.`) +
        (limit === undefined ? "" : `</p>\n<p>${show(limit)}.`);
      return await page(200, "Signed in", sentence);
    }
    case "failed": {
      const sentence =
        `The sign-in to <b>${show(outcome.server)}</b> failed: ${show(outcome.reason)}. ` +
        "Nothing was stored. You can sign in again on the page.";
      return await page(400, "Not signed in", sentence);
    }
    case "unknown":
      return await page(
        400,
        "This sign-in is over",
        "It is complete, or it took longer than 10 minutes, or the service has restarted since. " +
          "If you are not signed in, begin again on the page.",
      );
    case "foreign":
      return await page(
        403,
        "Another browser began this sign-in",
        "Nothing was stored. If you began it yourself, complete it in the same browser, or begin " +
          "again on the page.",
      );
  }
}
