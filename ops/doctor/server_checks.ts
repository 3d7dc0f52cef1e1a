// Checks that MCP servers start and answer. Each server that an agent names is started as in a run, asked for its
// tools and ended, even beside a running service.
import type { AgentRegistry } from "../../runtime/agents/registry.ts";
import type { Clock } from "../../base/clock.ts";
import { toPlainLine } from "../../base/text/plain_text.ts";
import type { WorkspaceSettings } from "../../runtime/config/settings.ts";
import { ToolsUnavailable } from "../../runtime/tools/tools_unavailable.ts";
import { openMcpServers, openProcessSandbox } from "../../runtime/wiring/tool_catalog.ts";
import type { Check, Finding } from "./finding.ts";

/** A server's output before its end may be long. */
const MAX_CHARACTERS = 400;

/** The result of a start: the number of listed tools, or the reason of the failure. */
export type Connection = { tools: number } | { problem: string };

/** The servers opened for an examination. Dispose ends every started process. */
export interface OpenedServers extends AsyncDisposable {
  /** Starts a server and reads its tools. */
  connect(name: string): Promise<Connection>;
  /** Returns a check for each of these servers. All start at once. */
  checks(names: readonly string[]): Check[];
}

/** Opens the servers of a workspace; starts none of them. */
export async function openServers(
  { settings, registry, clock, version }: {
    settings: WorkspaceSettings;
    registry: AgentRegistry;
    clock: Clock;
    version: string;
  },
): Promise<OpenedServers> {
  await using opened = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir({ prefix: "inkling-doctor-" });
  opened.defer(() => Deno.remove(folder, { recursive: true }));
  const servers = await openMcpServers({
    settings,
    registry,
    clock,
    version,
    folder,
    log: { write: () => {} },
    // The check calls no tool, so known tools do not matter.
    knownTools: { findTool: () => Promise.resolve(undefined), keepTool: () => Promise.resolve() },
    isFirstWarning: () => Promise.resolve(false),
    ownPorts: () => [],
    resources: opened,
  }, await openProcessSandbox({ settings }));
  const { mcpServersFile } = settings.directories;
  const kept = opened.move();
  const connect = async (name: string): Promise<Connection> => {
    try {
      const { length } = await servers.openTools({ mcp: [name] }, { taken: [] });
      return { tools: length };
    } catch (error) {
      if (!(error instanceof ToolsUnavailable)) throw error;
      return { problem: error.message.replaceAll(/([^:\n])\n/g, "$1. ") };
    }
  };
  return {
    connect,
    checks(names) {
      const looks = names.map(async (name) =>
        toFindings(name, await connect(name), mcpServersFile)
      );
      return looks.map((found) => () => found);
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

function toFindings(name: string, connection: Connection, file: string): Finding[] {
  if ("tools" in connection) return [];
  return [{
    severity: "error",
    subject: `MCP server ${name}`,
    problem: toPlainLine(connection.problem, MAX_CHARACTERS),
    remedy: `start its program yourself, or check its entry in ${file}`,
  }];
}
