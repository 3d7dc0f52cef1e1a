// Serves MCP over standard input and output: `inkling mcp serve`.
import process from "node:process";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createMcpServer, type McpPorts } from "./server.ts";

/** Serves until the client closes standard input or `signal` aborts. Runs that the client started go on. */
export async function serveMcpOverStdio(
  ports: Omit<McpPorts, "outlivesService"> & { onError: (error: Error) => void },
  signal: AbortSignal,
): Promise<void> {
  const ended = Promise.withResolvers<void>();
  process.stdin.once("close", ended.resolve);
  process.stdin.once("end", ended.resolve);
  signal.addEventListener("abort", () => ended.resolve(), { once: true });
  const server = serveStdio(
    (context) => createMcpServer({ ...ports, outlivesService: true }, context),
    { onerror: ports.onError },
  );
  if (!signal.aborted) await ended.promise;
  await server.close();
}
