// Opens the Unix socket listener. From the start, only the socket's owner can connect. A socket on which a service answers
// is never replaced.
import { RuntimeError } from "../../base/errors.ts";
import { type ConnectionOptions, Connections } from "./connections.ts";
import type { Listener } from "./listener.ts";
import { dirname } from "../../base/plain_path.ts";
import { ignoreMissing } from "../../base/files/missing.ts";

/** Error: the service cannot listen on the socket file. Another service answers there, or the file is not a socket. */
export class SocketUnavailable extends RuntimeError {
  readonly code = "conflict";
}

/**
 * Opens a listener on `path` with mode 600. Creates the directory with mode 700 if it is missing, and replaces a socket
 * file on which no service answers. Throws SocketUnavailable.
 */
export async function listenOnSocket(
  path: string,
  options: ConnectionOptions,
): Promise<Listener> {
  const directory = dirname(path);
  await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
  await Deno.chmod(directory, 0o700);
  await removeStale(path);
  const connections = new Connections(openSocket(path), options);
  return {
    address: `unix:${path}`,
    async close() {
      const closing = connections.close();
      // Remove the socket file before the connections end, so that the next command starts another service.
      await Deno.remove(path).catch(ignoreMissing);
      await closing;
    },
    abort: () => connections.abort(),
  };
}

function openSocket(path: string): Deno.Listener {
  // Deno.listen is synchronous, so no other code runs under this mask, and the socket never has a mode wider than 600.
  const mask = Deno.umask(0o177);
  try {
    return Deno.listen({ transport: "unix", path });
  } finally {
    Deno.umask(mask);
  }
}

async function removeStale(path: string): Promise<void> {
  const info = await Deno.lstat(path).catch(ignoreMissing);
  if (info === undefined) return;
  if (!info.isSocket) {
    throw new SocketUnavailable(
      `Cannot listen on ${path}: the file is not a socket; remove it`,
    );
  }
  try {
    (await Deno.connect({ transport: "unix", path })).close();
  } catch (error) {
    if (!(error instanceof Deno.errors.ConnectionRefused)) throw error;
    await Deno.remove(path);
    return;
  }
  throw new SocketUnavailable(`Cannot listen on ${path}: another service already answers there`);
}
