// What a session wants of the connection to its server, whichever kind it is.
import type { Transport } from "@modelcontextprotocol/client";

/** A transport that can tell what became of the server. */
export interface ServerLink extends Transport {
  /** How the server ended, or for what it had to be ended, as the end of a sentence; undefined as far as is known it runs. */
  readonly end: string | undefined;
  /** The end of what it wrote to its error output, as it is; empty where nothing can be seen of that. */
  readonly stderr: string;
  /** Hosts that its sandbox has kept it from since this was last asked. */
  takeRefusedHosts(): string[];
}
