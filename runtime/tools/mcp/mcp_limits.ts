// The time and size limits of an MCP server.

/** Times in milliseconds. */
export interface McpLimits {
  /** The time to start, initialize and list the tools; also to list them again. */
  connectMs: number;
  /** The time of one tool call, a restart of the server included. Each progress message of the server restarts it. */
  callMs: number;
  /** The time of one tool call of a server that reports progress. */
  longestCallMs: number;
  /** The time from the end of input to SIGTERM, for a program that does not exit by itself. */
  closeMs: number;
  /** The time from SIGTERM to SIGKILL; also the time limit for ending a remote session. */
  killMs: number;
}

/** The limits of every server; tests have their own. */
export const MCP_LIMITS: McpLimits = {
  connectMs: 30_000,
  callMs: 60_000,
  longestCallMs: 600_000,
  closeMs: 1_000,
  killMs: 2_000,
};

/** The maximum size of one message. A server that exceeds it is disconnected, so that none can exhaust the memory. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** The maximum number of messages of one server, because each takes time of the service. */
export const MAX_MESSAGES_PER_MINUTE = 10_000;

/** The reason for disconnecting a server that sends more, as the end of a sentence. */
export const TOO_MANY_MESSAGES = `it sends over ${MAX_MESSAGES_PER_MINUTE} messages a minute`;

/** The maximum number of tools of one server. */
export const MAX_TOOLS = 1_000;
