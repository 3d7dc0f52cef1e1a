// Serves MCP over HTTP at /mcp of the service.
import { createMcpHandler, PARSE_ERROR } from "@modelcontextprotocol/server";
import { createMcpServer, type McpPorts } from "./server.ts";

/** Creates the endpoint: a function that answers a request. `body` is the request's text, if it has a body. */
export function createMcpEndpoint(
  ports: Omit<McpPorts, "outlivesService">,
  { onError }: { onError: (error: Error) => void },
): (request: Request, body?: string) => Promise<Response> {
  const handler = createMcpHandler(
    (context) => createMcpServer({ ...ports, outlivesService: false }, context),
    // Only a stream shows that the client has disconnected. There are no streams for changes of the lists.
    { responseMode: "sse", maxSubscriptions: 0, onerror: onError },
  );
  return async ({ url, method, headers }, body) => {
    // A request without a signal: the signal of Deno's requests also aborts after a successful response.
    const request = new Request(url, { method, headers });
    if (body === undefined) return await handler.fetch(request);
    let parsedBody: unknown;
    try {
      parsedBody = JSON.parse(body);
    } catch {
      const error = { code: PARSE_ERROR, message: "Parse error: the body is not valid JSON" };
      return Response.json({ jsonrpc: "2.0", id: null, error }, { status: 400 });
    }
    return await handler.fetch(request, { parsedBody });
  };
}
