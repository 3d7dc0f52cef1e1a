// The way out to a provider, and the way back: which headers leave this machine and for where, what an answer must look like
// to be read on, and how much of it is read.
import { boundReply, readErrorBody } from "./bounded_answer.ts";
import {
  connectionFailure,
  foreignAnswerFailure,
  type ProviderContext,
  redirectFailure,
} from "./provider_failure.ts";

/** Redirects that keep method and body, as every model call needs it. */
const REPEATED: ReadonlySet<number> = new Set([301, 302, 307, 308]);
const MAX_REDIRECTS = 3;
const NO_STREAM: ReadonlySet<string> = new Set(["text/html", "application/json"]);
/** A surrogate without its other half, as JSON.stringify writes it; text of an agent may hold one, and providers refuse it. */
const LONE_SURROGATE = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/** A model call as it is sent. */
export interface ProviderCall {
  url: string;
  /** Beside the content type; they hold the key. */
  headers: Readonly<Record<string, string>>;
  /** JSON. */
  body: string;
  signal?: AbortSignal;
}

/**
 * Sends a model call and returns its answer, whose body is bounded. Redirects are followed within the origin alone, since the
 * headers hold a key. It throws ModelError when no connection comes about, when another host is to be asked, and when a good
 * answer is a web page or a JSON document instead of a stream; so does the body of an answer that is too long.
 */
export async function postToProvider(
  context: ProviderContext,
  { url, headers, body, signal }: ProviderCall,
): Promise<Response> {
  const answer = await ask(context, new URL(url), {
    method: "POST",
    headers: { "content-type": "application/json", ...headers, "user-agent": "inkling" },
    body: toWellFormedJson(body),
    ...(signal && { signal }),
  });
  const contentType = answer.headers.get("content-type")?.split(";", 1)[0]?.trim() ?? "";
  if (answer.ok && NO_STREAM.has(contentType)) {
    throw foreignAnswerFailure(context, { contentType, body: await readErrorBody(answer) });
  }
  return boundReply(answer, context, signal);
}

/** The answer, after redirects within the origin. */
async function ask(
  context: ProviderContext,
  first: URL,
  init: RequestInit,
): Promise<Response> {
  let address = first;
  for (let redirects = 0;; redirects++) {
    let answer: Response;
    try {
      answer = await fetch(address, { ...init, redirect: "manual" });
    } catch (error) {
      init.signal?.throwIfAborted();
      throw connectionFailure(context, error);
    }
    const location = answer.headers.get("location");
    if (!REPEATED.has(answer.status) || location === null) return answer;
    await answer.body?.cancel();
    const next = URL.canParse(location, address) ? new URL(location, address) : undefined;
    if (next?.origin !== address.origin || redirects === MAX_REDIRECTS) {
      throw redirectFailure(context, address, next);
    }
    address = next;
  }
}

function toWellFormedJson(json: string): string {
  return json.includes("\\ud") ? json.replaceAll(LONE_SURROGATE, "$1\\ufffd") : json;
}
