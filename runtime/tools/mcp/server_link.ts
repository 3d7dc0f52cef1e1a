// Declares the interface of a connection to an MCP server, which may be a program or a URL.
import type { Transport } from "@modelcontextprotocol/client";

/** A client transport that also reports the end of the server. */
export interface ServerLink extends Transport {
  /** The reason for which the server ended or was ended, as a clause. Undefined while no end is known. */
  readonly endReason: string | undefined;
  /** The end of the program's standard error, not redacted. Empty for a URL. */
  readonly stderr: string;
  /** Returns the hosts that the program's sandbox refused since the last call. */
  takeRefusedHosts(): string[];
}
