// Creates the routes for answers through links in messages, over TCP only. The routes need no API key, because the path
// contains a secret that is valid for one answer to one question.
import { RuntimeError } from "../../base/errors.ts";
import { SECOND_MS } from "../../base/time_units.ts";
import type { HumanAnswer, HumanRequest } from "../../runtime/executions/human_request.ts";
import type { LinkedQuestion, Runtime } from "../../runtime/interface/runtime.ts";
import { readForm } from "../../api/operations/request_body.ts";
import type { PortGuard } from "../middleware/api_key.ts";
import { answeredPage, closedPage, questionPage, testPage, tooManyPage } from "./answer_pages.ts";

/** The delay of the response to an unknown token, and the maximum number of such responses that wait at a time. */
export const WRONG_TOKEN = { waitsMs: SECOND_MS, mostWaiting: 16 };
const MAX_FORM_BYTES = 65_536;
/** Matches the path of an answer link. The token has 256 bits in base64url. */
const PLACE = /^\/answer\/([\w-]{43})$/;

/** Returns the path without the secret of an answer link, for the log. */
export function redactToken(path: string): string {
  return path.startsWith("/answer/") ? "/answer/…" : path;
}

/** Creates the answer links of one port. Their middleware shows questions and accepts answers. */
export function createAnswers(
  runtime: Pick<Runtime, "messages" | "pendingRequest" | "getExecution" | "respond" | "clock">,
): PortGuard {
  const { clock } = runtime;
  let waiting = 0;

  async function refuse(): Promise<Response> {
    if (waiting >= WRONG_TOKEN.mostWaiting) return await tooManyPage();
    waiting++;
    await clock.sleep(WRONG_TOKEN.waitsMs).finally(() => waiting--);
    return await closedPage("unknown");
  }

  async function show(token: string): Promise<Response> {
    const link = await runtime.messages.findLink(token);
    if (link === undefined) return await showTest(token);
    const question = await openQuestion(link);
    return question === undefined ? await closedPage(link.state) : await questionPage(question);
  }

  /** Shows the page behind the link of a test message. */
  async function showTest(token: string): Promise<Response> {
    const state = await runtime.messages.tests.findLink(token);
    if (state === undefined) return await refuse();
    return state === "expired" ? await closedPage(state) : await testPage(state);
  }

  async function take(token: string, request: Request): Promise<Response> {
    const form = await readForm(request, { clock, maxBytes: MAX_FORM_BYTES });
    const link = await runtime.messages.findLink(token);
    if (link === undefined) {
      await runtime.messages.tests.confirm(token);
      return await showTest(token);
    }
    const question = await openQuestion(link);
    if (question === undefined) return await closedPage(link.state);
    const answer = readAnswer(question.request, form);
    if (typeof answer === "string") {
      return await questionPage(question, { status: 422, text: answer });
    }
    try {
      const { executionId, requestId } = link;
      await runtime.respond(executionId, { requestId, answer, by: { via: "link" } });
    } catch (error) {
      if (!(error instanceof RuntimeError)) throw error;
      // Another answer was accepted earlier.
      if (error.code === "conflict" || error.code === "not_found") {
        return await closedPage((await runtime.messages.findLink(token))?.state ?? "ended");
      }
      const status = error.code === "invalid" ? 422 : error.code === "forbidden" ? 403 : 503;
      return await questionPage(question, { status, text: `${error.message}.` });
    }
    return await answeredPage(answer);
  }

  /** Returns the link's question if its execution still waits for the answer. */
  async function openQuestion(link: LinkedQuestion) {
    if (link.state !== "open") return undefined;
    try {
      const request = await runtime.pendingRequest(link.executionId);
      if (request.requestId !== link.requestId) return undefined;
      return { request, execution: await runtime.getExecution(link.executionId) };
    } catch (error) {
      if (error instanceof RuntimeError && error.code === "not_found") return undefined;
      throw error;
    }
  }

  return {
    admits: (request) =>
      ["GET", "HEAD", "POST"].includes(request.method) && tokenOf(request) !== undefined,
    isFollowed: ({ method, url }) =>
      (method === "GET" || method === "HEAD") && tokenOf({ url }) !== undefined,
    async respond({ req: { method, raw } }, next) {
      const token = tokenOf(raw);
      if (token === undefined) return await next();
      if (method === "POST") return await take(token, raw);
      if (method === "GET" || method === "HEAD") return await show(token);
      await next();
    },
  };
}

function tokenOf({ url }: { url: string }): string | undefined {
  return PLACE.exec(URL.parse(url)?.pathname ?? "")?.[1];
}

/** Parses a form as an answer to a question of its kind. Returns a message for an incomplete form. */
export function readAnswer(
  { kind, options }: Pick<HumanRequest, "kind" | "options">,
  form: URLSearchParams,
): HumanAnswer | string {
  const textOf = (name: string) => (form.get(name) ?? "").replaceAll(/\r\n?/g, "\n").trim();
  switch (kind) {
    case "confirm": {
      const decision = form.get("decision");
      if (decision !== "approve" && decision !== "deny") return "Choose Approve or Deny.";
      const reason = textOf("reason");
      return { approved: decision === "approve", ...(reason !== "" && { reason }) };
    }
    case "input": {
      const text = textOf("text");
      return text === "" ? "Write an answer." : { text };
    }
    case "choice": {
      // The values are positions in the list of options, because a browser changes line breaks in texts.
      const places = form.getAll("choice").filter((one) => /^\d{1,4}$/.test(one)).map(Number);
      const selected = places.flatMap((place) => options?.[place] ?? []);
      return selected.length === 0 ? "Choose one of the options." : { selected };
    }
  }
  return kind satisfies never;
}
