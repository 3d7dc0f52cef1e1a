// A service with agents in a folder that listens on a port, and official MCP clients of its endpoint /mcp.
import {
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { KEY, type ServedWorkspace, serveWorkspace } from "../../support/test_service.ts";
import { createTestWorkspace, type TestWorkspace } from "../../support/test_workspace.ts";

/** A running service. */
export interface McpWorld extends Omit<ServedWorkspace, "client"> {
  /** The address of /mcp. */
  address: string;
  /** Returns a connected client that sends the key as a bearer token. */
  connect(
    options?: ClientOptions & { mode?: "legacy" | "auto" },
    setUp?: (client: Client) => void,
  ): Promise<Client>;
}

/** Creates a service after `prepare` has written the agents. */
export async function createMcpWorld(
  prepare: (place: TestWorkspace) => Promise<void>,
): Promise<McpWorld> {
  await using opened = new AsyncDisposableStack();
  const place = opened.use(await createTestWorkspace());
  await prepare(place);
  const { client: _client, ...service } = opened.use(await serveWorkspace(place));
  const address = `${service.origin}/mcp`;
  const kept = opened.move();
  return {
    ...service,
    address,
    async connect({ mode = "auto", ...rest } = {}, setUp) {
      const client = new Client({ name: "test", version: "1" }, {
        ...rest,
        versionNegotiation: { mode },
      });
      setUp?.(client);
      kept.defer(() => client.close());
      const requestInit = { headers: { authorization: `Bearer ${KEY}` } };
      const transport = new StreamableHTTPClientTransport(new URL(address), {
        requestInit,
        fetch: fetchHeld,
      });
      await client.connect(transport);
      return client;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** The responses whose bodies are in use. */
const held = new WeakMap<ReadableStream, Response>();

/**
 * Fetches, and keeps the response as long as its body is in use. The client keeps only the body, and Deno 2.9.6 no longer
 * aborts the reading of a body after it has collected the response: a cancelled call would not reach the server.
 */
async function fetchHeld(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (response.body !== null) held.set(response.body, response);
  return response;
}

/** Returns the text of a tool's result. */
export function textOfResult(result: { content?: unknown }): string {
  const content = Array.isArray(result.content) ? result.content : [];
  return content.map((one) => one.type === "text" ? one.text : `[${one.type}]`).join("\n");
}
