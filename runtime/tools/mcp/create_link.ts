// Creates the connection to a server of either kind, and the description of the server for error texts.
import type { Secret } from "../../secrets/secret.ts";
import { HttpTransport } from "./http_transport.ts";
import type { ServerDefinition } from "./servers_file/server_definition.ts";
import type { FailedServer } from "./session_failure.ts";
import type { SessionPorts } from "./server_link.ts";
import { ServerTokens } from "./sign_in/server_tokens.ts";
import { StdioTransport } from "./stdio_transport.ts";

/** Creates the link to a server. Starts and connects nothing. */
export function createLink(
  name: string,
  definition: ServerDefinition,
  ports: SessionPorts,
): FailedServer {
  const { secrets } = definition;
  if (definition.kind === "program") {
    const net = definition.sandbox?.net ?? [];
    return { name, secrets, link: new StdioTransport(definition, ports), net };
  }
  const { oauth, url, headers } = definition;
  const tokens = oauth && new ServerTokens({ name, url, headers, oauth }, ports);
  return {
    name,
    get secrets(): readonly Secret[] {
      return tokens === undefined ? secrets : [...secrets, ...tokens.secrets];
    },
    link: new HttpTransport(definition, { ...ports, tokens }),
    net: [],
  };
}
