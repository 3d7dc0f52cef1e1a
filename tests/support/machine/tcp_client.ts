// An API client for the service's TCP port. The product has none: its own client uses the socket.
import { Client } from "../../../api/client/client.ts";

/** Creates a client that sends the API key with every request. The client needs no closing. */
export function createTcpClient(
  { host, port, apiKey }: { host: string; port: number; apiKey: string },
): Client {
  const origin = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  return new Client({
    fetch(path, init) {
      const headers = new Headers(init.headers);
      headers.set("x-api-key", apiKey);
      return fetch(`${origin}${path}`, { ...init, headers });
    },
  });
}
