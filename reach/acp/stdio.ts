// Serves the Agent Client Protocol over standard input and output: `inkling acp AGENT`.
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { type AcpPorts, createAcpAgent } from "./acp_agent.ts";

/** Serves until the editor closes standard input or `signal` aborts. */
export async function serveAcp(ports: AcpPorts, signal: AbortSignal): Promise<void> {
  const stream = ndJsonStream(Deno.stdout.writable, Deno.stdin.readable);
  const connection = createAcpAgent(ports).connect(stream);
  signal.addEventListener("abort", () => connection.close(), { once: true });
  if (signal.aborted) connection.close();
  await connection.closed;
}
