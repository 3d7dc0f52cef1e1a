// How long and how much an MCP server may take.

/** Times in milliseconds. */
export interface McpLimits {
  /** To start, shake hands and list the tools; also to list them again. */
  connectMs: number;
  /** One tool call, a restart of the server included; each progress message of the server begins this time anew. */
  callMs: number;
  /** One tool call of a server that reports progress. */
  longestCallMs: number;
  /** From the end of its input to SIGTERM, for a program that does not end by itself. */
  closeMs: number;
  /** From SIGTERM to SIGKILL; also how long a remote server may take to say goodbye. */
  killMs: number;
}

/** The limits of every server; tests bring their own. */
export const MCP_LIMITS: McpLimits = {
  connectMs: 30_000,
  callMs: 60_000,
  longestCallMs: 600_000,
  closeMs: 1_000,
  killMs: 2_000,
};

/** The most bytes of one message: above it a server is cut off, so that none can exhaust the memory. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** The most messages of one server: each takes time of the service, whoever asked for it. */
export const MAX_MESSAGES_PER_MINUTE = 10_000;

/** What is said of a server that sends more; a sentence's end. */
export const TOO_MANY_MESSAGES = `it sends over ${MAX_MESSAGES_PER_MINUTE} messages a minute`;

/** The most tools of one server. */
export const MAX_TOOLS = 1_000;

/** The largest mcp-servers.json. */
export const LARGEST_SERVERS_FILE_BYTES = 1024 * 1024;

/** The most servers in it. */
export const MAX_SERVERS = 256;
