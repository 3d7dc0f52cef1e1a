// Opens the MCP server at /mcp over the API of the same service. Loaded at the first request.
import { createMcpEndpoint } from "../../reach/mcp/http.ts";
import { Client, type Transport } from "../../api/client/client.ts";
import { readBytes } from "../../api/operations/request_body.ts";
import type { Runtime } from "../../runtime/interface/runtime.ts";

/** Returns the function that answers requests. `fetch` sends a request to the API, in which the caller is a program. */
export function openProtocol(
  { version, clock, log }: Pick<Runtime, "version" | "clock" | "log">,
  fetch: Transport,
): (request: Request) => Promise<Response> {
  const respond = createMcpEndpoint(
    { version, clock, open: () => Promise.resolve(new Client({ fetch })) },
    { onError: (error) => log.write("debug", "An MCP request failed", { error }) },
  );
  return async (request) => {
    if (request.method !== "POST") return await respond(request);
    const bytes = await readBytes(request, { clock });
    return await respond(request, new TextDecoder().decode(bytes));
  };
}
