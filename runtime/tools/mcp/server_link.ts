// Declares the interface of a connection to an MCP server, which may be a program or a URL, and the objects that it needs.
import type { Transport } from "@modelcontextprotocol/client";
import type { Context } from "../../config/context.ts";
import type { Secret } from "../../secrets/secret.ts";
import type { McpLimits } from "./mcp_limits.ts";
import type { ServerConfinement } from "./server_sandbox.ts";
import type { CredentialStore } from "./sign_in/credentials.ts";

/** A client transport that also describes its server and reports the server's end. */
export interface ServerLink extends Transport {
  /** The server's name in mcp-servers.json. */
  readonly name: string;
  /** The values that no text about the server may contain. */
  readonly secrets: readonly Secret[];
  /** The reason for which the server ended or was ended, as a clause. Undefined while no end is known. */
  readonly endReason: string | undefined;
  /** The end of the program's standard error, not redacted. Undefined for a URL. */
  readonly stderr?: string;
  /** The names of the environment variables that the program gets. Undefined for a URL. */
  readonly given?: readonly string[];
  /** Returns the hosts that the program's sandbox permits, and those that it refused since the last call. */
  takeHosts?(): { permitted: readonly string[]; refused: readonly string[] };
}

/** The objects and settings that sessions and their connections need. */
export interface SessionPorts extends Pick<Context, "clock" | "log"> {
  limits: McpLimits;
  confinement: ServerConfinement;
  /** Inkling's version, which is sent to the server. */
  version: string;
  /** The stored sign-ins to remote servers. */
  credentials: CredentialStore;
  /**
   * Returns the names of the service's environment variables that an entry may pass to its server. Variables with keys of
   * model providers are left out.
   */
  variableNames(): readonly string[];
}
