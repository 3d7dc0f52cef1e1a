// Starts a workspace's MCP servers as a run does, lists their tools and stops the servers. Works while a service runs, too.
import type { Clock } from "../../base/clock.ts";
import type { AgentRegistry } from "../../runtime/agents/registry.ts";
import type { WorkspaceSettings } from "../../runtime/config/settings.ts";
import { saysOf } from "../../runtime/tools/mcp/mcp_tool.ts";
import { MCP_LIMITS, type McpLimits } from "../../runtime/tools/mcp/mcp_limits.ts";
import { SignInRequired } from "../../runtime/tools/failures/sign_in_required.ts";
import { ToolsUnavailable } from "../../runtime/tools/failures/tools_unavailable.ts";
import { TokenSecrets } from "../../runtime/tools/mcp/sign_in/token_secrets.ts";
import { openMcpServers, openProcessSandbox } from "../../runtime/wiring/tool_catalog.ts";

/** A tool of a started server, in the server's own words. */
export interface ConnectedTool {
  name: string;
  /** The server's description of the tool, as plain text of limited length. */
  description: string;
  /** True if the server declares the tool read-only. */
  isReadOnly: boolean;
}

/** The result of a server's start: its tools, or the reason of the failure. `needsSignIn` is true if a sign-in mends it. */
export type Connection = { tools: ConnectedTool[] } | { problem: string; needsSignIn: boolean };

/** The connections to a workspace's MCP servers. Dispose stops every started process. */
export interface ServerConnections extends AsyncDisposable {
  /** Starts a server and lists its tools. */
  connect(name: string): Promise<Connection>;
}

/** The time limits of a server's first start, which may install its package. */
const FIRST_START: McpLimits = { ...MCP_LIMITS, connectMs: 300_000 };

/**
 * Prepares the connections to a workspace's servers. Starts no server. With `isFirstStart` the servers get more time, and
 * keep their home folders for later starts. Only for servers that no other process uses.
 */
export async function openServerConnections(
  { settings, registry, clock, version, isFirstStart = false }: {
    settings: WorkspaceSettings;
    registry: AgentRegistry;
    clock: Clock;
    version: string;
    isFirstStart?: boolean;
  },
): Promise<ServerConnections> {
  await using opened = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir({ prefix: "inkling-doctor-" });
  opened.defer(() => Deno.remove(folder, { recursive: true }));
  const servers = await openMcpServers({
    settings,
    registry,
    clock,
    version,
    folder,
    ...(isFirstStart && { keepsHomes: true, limits: FIRST_START }),
    log: { write: () => {} },
    tokenSecrets: new TokenSecrets(),
    isFirstWarning: () => Promise.resolve(false),
    ownPorts: () => [],
    resources: opened,
  }, await openProcessSandbox({ settings }));
  const kept = opened.move();
  return {
    async connect(name) {
      try {
        const { tools } = await servers.openTools({ mcp: [name] }, { taken: [] });
        return {
          tools: tools.map(({ name, origin, description }) => ({
            name: origin?.tool ?? name,
            description: description.slice(saysOf(origin?.server ?? "").length),
            isReadOnly: origin?.isReadOnly === true,
          })),
        };
      } catch (error) {
        if (!(error instanceof ToolsUnavailable)) throw error;
        return {
          problem: error.message.replaceAll(/([^:\n])\n/g, "$1. "),
          needsSignIn: error instanceof SignInRequired,
        };
      }
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
