// A client's transport that answers from a list and remembers what it was asked.
import type { Transport } from "../../api/client/client.ts";

export interface Call {
  method: string;
  path: string;
  headers: Headers;
  body: unknown;
}

/** A transport that gives these answers in order; an error is thrown, and so is any further call. */
export function scripted(answers: (Response | Error)[]): { calls: Call[]; fetch: Transport } {
  const calls: Call[] = [];
  return {
    calls,
    fetch: (path, init) => {
      const { method = "GET", headers, body } = init;
      calls.push({
        method,
        path,
        headers: new Headers(headers),
        body: typeof body === "string" ? JSON.parse(body) : body,
      });
      const answer = answers.shift() ?? new Error("unexpected call");
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
  };
}

/** A streamed body; `broken` ends it with a connection error. */
export function streamOf(text: string, broken = false): Response {
  let sent = false;
  return new Response(
    new ReadableStream({
      pull(controller) {
        if (!sent) controller.enqueue(new TextEncoder().encode(text));
        else if (broken) controller.error(new TypeError("connection reset"));
        else controller.close();
        sent = true;
      },
    }),
  );
}
