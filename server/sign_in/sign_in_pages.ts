// Answers the requests of a person's sign-in to a remote MCP server: the browser's return from the authorization server, and
// the document that describes Inkling as a client. They need no API key. Loaded at the first request.
import { RequestRefused } from "../../api/errors.ts";
import { nameSignInCookie, writeSignInCookie } from "../../api/operations/sign_in_cookie.ts";
import { RuntimeError } from "../../base/errors.ts";
import type { Runtime } from "../../runtime/interface/runtime.ts";
import type { CompletedSignIn } from "../../runtime/tools/mcp/sign_in/browser_sign_in_types.ts";
import { opensSignInCallback } from "../../runtime/vocabulary/sign_in_paths.ts";
import { returnPage, toVisibleHtml } from "../html/notice_page.ts";
import { cookieValues } from "../login/secret_text.ts";

/** Returns the response to the browser that returns from the authorization server. Throws RequestRefused. */
export async function respondToReturn(
  request: Request,
  { signIns }: Pick<Runtime, "signIns">,
): Promise<Response> {
  // HEAD must not use the answer up.
  if (!opensSignInCallback(request)) {
    throw new RequestRefused(405, "Method Not Allowed", { headers: { allow: "GET" } });
  }
  const answer = new URL(request.url).searchParams;
  const state = answer.get("state") ?? "";
  const proofs = cookieValues(request.headers, nameSignInCookie(state));
  try {
    const completed = await (await signIns()).finish(answer, proofs);
    return await completedPage(completed, writeSignInCookie({ state, proof: "", lifeMs: 0 }));
  } catch (error) {
    if (!(error instanceof RuntimeError) || error.code !== "conflict") throw error;
    const paragraphs = [`${toVisibleHtml(error.message)}.`, BACK];
    return await returnPage({ heading: "The answer was not accepted", status: 400, paragraphs });
  }
}

/** Returns the document that describes Inkling as a client. Throws RequestRefused if there is none. */
export async function respondWithClient({ signIns }: Pick<Runtime, "signIns">): Promise<Response> {
  const document = (await signIns()).clientDocument();
  if (document === undefined) throw new RequestRefused(404, "Not Found");
  return Response.json(document);
}

function completedPage(
  { server, issuer, continuedRuns: runs, limit }: CompletedSignIn,
  cookie: string,
): Promise<Response> {
  const continued = runs === 1 ? "The run that waited" : `The ${runs} runs that waited`;
  const paragraphs = [
    `You are signed in to <b>${toVisibleHtml(server)}</b> at ${toVisibleHtml(issuer)}.`,
    ...(runs === 0 ? [] : [`${continued} for it can continue.`]),
    ...(limit === undefined ? [] : [`${toVisibleHtml(limit)}.`]),
    BACK,
  ];
  const headers = { "set-cookie": cookie };
  return returnPage({ heading: "Signed in", status: 200, headers, paragraphs });
}

const BACK = '<a href="../ui">Back to Inkling</a>';
