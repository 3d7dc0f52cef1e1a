// Opens the MCP server at /mcp over the API of the same service. Loaded at the first request.
import { createMcpEndpoint } from "../../reach/mcp/http.ts";
import { Client } from "../../api/client/client.ts";
import {
  type InProcessRequest,
  inProcessTransport,
} from "../../api/client/in_process_transport.ts";
import { readBytes } from "../../api/operations/request_body.ts";
import type { Runtime } from "../../runtime/interface/runtime.ts";

/** Returns the function that answers requests. `request` calls the API, in which the caller is a program. */
export function openProtocol(
  { version, clock, log }: Pick<Runtime, "version" | "clock" | "log">,
  request: InProcessRequest,
): (request: Request) => Promise<Response> {
  const respond = createMcpEndpoint(
    { version, clock, open: () => Promise.resolve(new Client(inProcessTransport(request))) },
    { onError: (error) => log.write("debug", "An MCP request failed", { error }) },
  );
  return async (incoming) => {
    if (incoming.method !== "POST") return await respond(incoming);
    const bytes = await readBytes(incoming, { clock });
    return await respond(incoming, new TextDecoder().decode(bytes));
  };
}
