// Connections that look names up themselves, and are ended before anything is sent to an address that is closed.
import type { Agent } from "node:http";
import type { Socket } from "node:net";
import { createDirectAgent } from "./direct_agent.ts";
import { ToolFailure } from "../tool_failure.ts";

/**
 * An agent for one request. `refuse` says why an address that a name stands for is closed, as a ToolFailure's sentence; each
 * is asked before the connection begins, and the one that was reached once more. One address is tried: at the second, Deno
 * forgets that the name was allowed (measured with 2.9.6), in an error that nobody can catch.
 */
export function createGuardedAgent(
  protocol: string,
  refuse: (address: string) => string | undefined,
): Agent {
  const agent = createDirectAgent(protocol);
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const single = { ...options, autoSelectFamily: false };
    const stream = connect(single, callback);
    // Both kinds of agent make sockets; the type leaves other streams to other agents.
    const socket = stream as Socket;
    const check = (address: string) => {
      const refusal = refuse(address);
      if (refusal !== undefined) socket.destroy(new ToolFailure(refusal));
    };
    // Now: at the request's `socket` event the name may have been looked up already.
    socket.on("lookup", (error: Error | null, address: string) => {
      if (error === null) check(address);
    });
    socket.on("connect", () => check(socket.remoteAddress ?? ""));
    return stream;
  };
  return agent;
}
