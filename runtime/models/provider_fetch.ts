// The way out to a provider: which headers leave this machine, and what an answer must look like to be read on. The
// providers' packages are given this instead of the global fetch.
import { ModelError } from "./model.ts";
import {
  connectionFailure,
  foreignAnswerFailure,
  type ProviderContext,
} from "./provider_failure.ts";

/** A fetch for one model call. */
export interface ProviderFetch {
  fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** The last answer, for packages that keep its status and headers to themselves. */
  lastAnswer: () => Response | undefined;
}

/**
 * A fetch that sends `headers`, and of the package's own headers only those named in `passed`: packages add whatever
 * variables of the shell say. It throws ModelError when no connection comes about, and when a good answer is a web
 * page or a JSON document instead of a stream.
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
    try {
      last = await fetch(input, { ...init, headers });
    } catch (error) {
      init.signal?.throwIfAborted();
      throw connectionFailure(context, error);
    }
    const contentType = last.headers.get("content-type")?.split(";", 1)[0]?.trim() ?? "";
    if (last.ok && NO_STREAM.has(contentType)) {
      throw foreignAnswerFailure(context, { contentType, body: await last.text() });
    }
    return last;
  };
  return { fetch: send, lastAnswer: () => last };
}

const NO_STREAM: ReadonlySet<string> = new Set(["text/html", "application/json"]);

/** The ModelError that an error is or was caused by: packages wrap what their fetch throws. */
export function findModelError(error: unknown): ModelError | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof ModelError) return at;
  }
  return undefined;
}
