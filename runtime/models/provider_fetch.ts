// The way out to a provider, and the way back: which headers leave this machine and for where, what an answer must look like
// to be read on, and how much of it is read. The providers' packages are given this instead of the global fetch.
import { boundReply, readErrorBody } from "./bounded_answer.ts";
import { ModelError } from "./model.ts";
import {
  connectionFailure,
  foreignAnswerFailure,
  type ProviderContext,
  redirectFailure,
} from "./provider_failure.ts";

/** A fetch for one model call. */
export interface ProviderFetch {
  fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** The last answer, for packages that keep its status and headers to themselves. */
  lastAnswer: () => Response | undefined;
}

/** Redirects that keep method and body, as every model call needs it. */
const REPEATED: ReadonlySet<number> = new Set([301, 302, 307, 308]);
const MAX_REDIRECTS = 3;
const NO_STREAM: ReadonlySet<string> = new Set(["text/html", "application/json"]);
/** A surrogate without its other half, as JSON.stringify writes it; text of an agent may hold one, and providers refuse it. */
const LONE_SURROGATE = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/**
 * A fetch that sends `headers`, and of the package's own headers only those named in `passed`: packages add whatever
 * variables of the shell say. Redirects are followed within the origin alone, since the headers hold a key. It throws
 * ModelError when no connection comes about, when another host is to be asked, when a good answer is a web page or a JSON
 * document instead of a stream, and in the midst of an answer that is too long.
 */
export function createProviderFetch(
  context: ProviderContext,
  options: { headers: Readonly<Record<string, string>>; passed: readonly string[] },
): ProviderFetch {
  let last: Response | undefined;
  const send = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers();
    const given = new Headers(init.headers);
    for (const name of options.passed) {
      const value = given.get(name);
      if (value !== null) headers.set(name, value);
    }
    headers.set("user-agent", "inkling");
    for (const [name, value] of Object.entries(options.headers)) headers.set(name, value);
    const body = typeof init.body === "string" ? toWellFormedJson(init.body) : init.body;
    const address = new URL(input instanceof Request ? input.url : input);
    const answer = await ask(context, address, { ...init, ...(body && { body }), headers });
    const contentType = answer.headers.get("content-type")?.split(";", 1)[0]?.trim() ?? "";
    if (answer.ok && NO_STREAM.has(contentType)) {
      throw foreignAnswerFailure(context, { contentType, body: await readErrorBody(answer) });
    }
    return last = boundReply(answer, context, init.signal);
  };
  return { fetch: send, lastAnswer: () => last };
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

/** The ModelError that an error is or was caused by: packages wrap what their fetch throws. */
export function findModelError(error: unknown): ModelError | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof ModelError) return at;
  }
  return undefined;
}
