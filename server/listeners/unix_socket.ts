// The Unix socket listener: only its owner may connect, from the first moment; a live one is never taken over.
import { RuntimeError } from "../../base/errors.ts";
import { type ConnectionPorts, Connections } from "./connections.ts";
import type { Handler, Listener } from "./listener.ts";
import { PATHS } from "../../base/plain_path.ts";
import { ignoreMissing } from "../../base/files/missing.ts";

const { dirname } = PATHS;

/** The socket file cannot be listened on: another service answers there, or the file is something else. */
export class SocketUnavailable extends RuntimeError {
  readonly code = "conflict";
}

/**
 * Listens on `path` with mode 600, in a directory of mode 700 that is made where needed. A socket file that nobody
 * answers on is replaced. Throws SocketUnavailable.
 */
export async function listenOnSocket(
  path: string,
  options: ConnectionPorts & { handler: Handler },
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
      // Gone at once: who comes now is to start another service.
      await removeOurs(path);
      await closing;
    },
    cut: () => connections.cut(),
  };
}

function openSocket(path: string): Deno.Listener {
  // The bind is synchronous, so that nothing else can run while the mask is in force, and there is no moment at which
  // the socket is wider than 600.
  const mask = Deno.umask(0o177);
  try {
    return Deno.listen({ transport: "unix", path });
  } finally {
    Deno.umask(mask);
  }
}

async function removeOurs(path: string): Promise<void> {
  await Deno.remove(path).catch(ignoreMissing);
}

async function removeStale(path: string): Promise<void> {
  let info: Deno.FileInfo;
  try {
    info = await Deno.lstat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    throw error;
  }
  if (!info.isSocket) {
    throw new SocketUnavailable(
      `Cannot listen on ${path}: it exists and is not a socket; remove it`,
    );
  }
  try {
    (await Deno.connect({ transport: "unix", path })).close();
  } catch (error) {
    if (!(error instanceof Deno.errors.ConnectionRefused)) throw error;
    await Deno.remove(path);
    return;
  }
  throw new SocketUnavailable(`Cannot listen on ${path}: a service answers there already`);
}
