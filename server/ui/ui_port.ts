// The port of the page: the same each time, so that a bookmark and what the browser keeps for the page stay of use.
import { join } from "node:path";
import { writeFileAtomically } from "../../base/files/atomic_file.ts";
import { ignoreMissing } from "../../base/files/missing.ts";
import { PortUnavailable } from "../listeners/tcp_port.ts";

/** A listener, and the port that it was to have but that another program has. */
export interface StableListener<Listener> {
  listener: Listener;
  takenPort?: number;
}

/** Listens on the port that the state folder names, or on another while that one is taken. The first one is kept. */
export async function listenOnStablePort<Listener extends { port: number }>(
  stateDir: string,
  listen: (port: number) => Listener,
): Promise<StableListener<Listener>> {
  const file = join(stateDir, "ui.port");
  const kept = Number((await Deno.readTextFile(file).catch(ignoreMissing))?.trim());
  const isPort = Number.isInteger(kept) && kept > 0 && kept < 65_536;
  if (!isPort) {
    const listener = listen(0);
    await writeFileAtomically(file, `${listener.port}\n`, { mode: 0o600 });
    return { listener };
  }
  try {
    return { listener: listen(kept) };
  } catch (error) {
    if (!(error instanceof PortUnavailable)) throw error;
    return { listener: listen(0), takenPort: kept };
  }
}
