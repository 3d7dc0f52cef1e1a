// Fetches from an MCP server at a URL, with the token of a sign-in and a limited size of the replies.
import { limitParts } from "../../../base/text/event_stream.ts";
import { MAX_MESSAGE_BYTES } from "./mcp_limits.ts";
import type { ServerTokens } from "./sign_in/server_tokens.ts";

/**
 * Returns the response of a server, with a limited body. Reading fails if the body, or one event of an event stream, is
 * over MAX_MESSAGE_BYTES.
 */
export async function fetchBounded(
  url: string | URL,
  init: RequestInit = {},
  { onEvent, signal, tokens }: {
    /** Called after each event of an event stream. Its errors make reading fail. */
    onEvent: () => void;
    /** Closes the body on abort. The signal of the request does not always do that: it can be collected as garbage. */
    signal: AbortSignal;
    /** Adds the token of a sign-in to the request. */
    tokens: Pick<ServerTokens, "send"> | undefined;
  },
): Promise<Response> {
  const ask = (token?: string) => {
    const headers = new Headers(init.headers);
    if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
    return fetch(url, { ...init, headers });
  };
  const reply = await (tokens === undefined ? ask() : tokens.send(ask));
  if (reply.body === null) return reply;
  const isStream = /^text\/event-stream\b/i.test(reply.headers.get("content-type") ?? "");
  const limit = limitParts({
    maxBytes: MAX_MESSAGE_BYTES,
    lineFeeds: isStream ? 2 : Infinity,
    onPart: onEvent,
    tooLong: (_part, bytes) => new RangeError(`the reply is over ${bytes / 1024 / 1024} MB`),
  });
  return new Response(reply.body.pipeThrough(limit, { signal }), reply);
}
