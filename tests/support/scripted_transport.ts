// A client transport that returns the prepared responses and records the calls.
import type { Transport } from "../../api/client/client.ts";

export interface Call {
  method: string;
  path: string;
  headers: Headers;
  body: unknown;
}

/**
 * Creates a transport that returns these answers in order, and throws the errors among them. It throws at a call beyond the
 * last answer.
 */
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

/** Creates a response with a streamed body. `broken`: the body ends with a connection error. */
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
