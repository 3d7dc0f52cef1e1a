// A client of the service's TCP port, which the product itself never uses: its own client is of the same machine and
// takes the socket.
import { Client } from "../../../api/client/client.ts";

/** A client that sends the key with every request. There is nothing to close. */
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
