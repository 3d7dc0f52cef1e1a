// Whether MCP servers start and answer: each that an agent names is started as a run would start it, asked for its tools and
// ended, beside those of a running service.
import type { AgentRegistry } from "../../runtime/agents/registry.ts";
import type { Clock } from "../../base/clock.ts";
import { toPlainLine } from "../../base/text/plain_text.ts";
import type { WorkspaceSettings } from "../../runtime/config/settings.ts";
import { ToolsUnavailable } from "../../runtime/tools/tools_unavailable.ts";
import { openMcpServers, openProcessSandbox } from "../../runtime/wiring/tool_catalog.ts";
import type { Check, Finding } from "./finding.ts";

/** What a server says before it ends may be long. */
const MOST_CHARACTERS = 400;

/** The result of a start: the number of listed tools, or the reason of the failure. */
export type Connection = { tools: number } | { problem: string };

/** Servers opened for a look. Dispose ends all that was started. */
export interface OpenedServers extends AsyncDisposable {
  /** Starts a server and reads its tools. */
  connect(name: string): Promise<Connection>;
  /** A check for each of these servers; all are started at once. */
  checks(names: readonly string[]): Check[];
}

/** Opens the servers of a workspace; nothing is started yet. */
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
    // A look calls no tool, so that nothing is known or news.
    knownTools: { findTool: () => Promise.resolve(undefined), keepTool: () => Promise.resolve() },
    isNews: () => Promise.resolve(false),
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
    problem: toPlainLine(connection.problem, MOST_CHARACTERS),
    remedy: `start it by hand, or see its entry in ${file}`,
  }];
}
