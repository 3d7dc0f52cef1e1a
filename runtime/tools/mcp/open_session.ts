// Opens a session with an MCP server: tries the handshakes and transports that the server may support. The file is loaded
// only when a session is opened, because the client package is big.
import { withinTime } from "../../../base/bounded_wait.ts";
import type { ServerUnavailable } from "./server_unavailable.ts";
import type { ServerDefinition } from "./servers_file/server_definition.ts";
import type { SessionPorts } from "./server_link.ts";
import { type Protocol, Session } from "./session.ts";
import { mayKnowNewerProtocol, mayUseOlderTransport } from "./session_failure.ts";

/** The time limit for each further handshake, which is tried if the server refused the first one. */
const FURTHER_HANDSHAKE_MS = 5_000;

/**
 * Starts the program or connects to the URL, initializes the server and lists its tools. Rejects with ServerUnavailable, or
 * with the signal's reason on abort. After an error, no program is left running.
 */
export async function openSession(
  name: string,
  definition: ServerDefinition,
  options: SessionPorts & { signal: AbortSignal },
): Promise<Session> {
  const { clock, limits, signal } = options;
  const reason = new Error(`it did not answer within ${limits.connectMs / 1_000} s`);
  return await withinTime({ clock, ms: limits.connectMs, reason, signal }, async (limited) => {
    const session = new Session(name, definition, { ...options, era: "legacy" });
    const refusal = await session.initialize(limited, signal);
    if (refusal === undefined) return session;
    // Decision: the handshake of the older protocol is tried first, because nearly all servers know it. The newer one is
    // tried only after a refusal, because some servers exit at an unknown first message (rejected: the newer protocol
    // first).
    for (const { era, ...other } of furtherHandshakes(definition, refusal)) {
      const further = new Session(name, { ...definition, ...other }, { ...options, era });
      const within = { clock, ms: FURTHER_HANDSHAKE_MS, reason: refusal, signal: limited };
      const failure = await withinTime(within, (brief) => further.initialize(brief, signal)).catch(
        (error: unknown) => error,
      );
      if (failure === undefined) return further;
      signal.throwIfAborted();
    }
    // The reply to the first handshake explains more than the failures of the others.
    throw refusal;
  });
}

function furtherHandshakes(
  definition: ServerDefinition,
  { cause }: ServerUnavailable,
): { era: Protocol; transport?: "sse" }[] {
  const canBeOlder = definition.kind === "endpoint" && definition.transport === undefined;
  return [
    ...(mayKnowNewerProtocol(cause) ? [{ era: "auto" as const }] : []),
    ...(canBeOlder && mayUseOlderTransport(cause)
      ? [{ era: "legacy" as const, transport: "sse" as const }]
      : []),
  ];
}
