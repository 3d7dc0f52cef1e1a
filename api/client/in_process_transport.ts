// Sends the requests of a client to the application in the same process, without a socket.
import type { ClientOptions } from "./client_transport.ts";

/** Passes a request to the application. */
export type InProcessRequest = (
  address: string,
  init: RequestInit,
) => Response | Promise<Response>;

/** Returns the transport over `request`. As on a socket, an aborted signal also ends a response that is being read. */
export function inProcessTransport(request: InProcessRequest): ClientOptions {
  return {
    async fetch(path, init) {
      const response = await request(`http://localhost${path}`, init);
      const { signal } = init;
      if (signal == null || response.body === null) return response;
      const body = response.body.pipeThrough(new TransformStream<Uint8Array, Uint8Array>(), {
        signal,
      });
      return new Response(body, response);
    },
  };
}
