// The connection of a session to its server, of either kind.
import type { Transport } from "@modelcontextprotocol/client";

/** A transport that reports the server's end. */
export interface ServerLink extends Transport {
  /** The reason that the server ended or was ended, as the end of a sentence. Undefined while it seems to run. */
  readonly endReason: string | undefined;
  /** The unredacted end of its error output. Empty if that cannot be read. */
  readonly stderr: string;
  /** Returns the hosts that its sandbox refused since the last call. */
  takeRefusedHosts(): string[];
}
