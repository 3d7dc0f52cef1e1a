// Validates a workspace's agent files against its settings, agents, tools and prices.
import { describeMissingSearch } from "../../runtime/config/search_schema.ts";
import { hasToolFile } from "../../runtime/tools/custom/tool_files.ts";
import { WEB_SEARCH } from "../../runtime/vocabulary/tool_vocabulary.ts";
import { createInspection } from "./agent_resources.ts";
import type { ServerConnections } from "./server_connections.ts";
import { lazyModule } from "../../base/lazy_module.ts";
import { toPlainLine } from "../../base/text/plain_text.ts";
import { readMachineTimeZone } from "../../runtime/agents/machine_time_zone.ts";
import { AgentRegistry } from "../../runtime/agents/registry.ts";
import { validateAgent } from "./validate_agent.ts";
import { SystemClock } from "../../base/clock.ts";
import type { Diagnostic } from "../../base/diagnostics.ts";
import { hostNames } from "../../runtime/config/database_settings.ts";
import { ModelPrices } from "../../runtime/models/pricing.ts";
import type { WorkspaceSettings } from "../../runtime/config/settings.ts";
import { openWorkspaceTools } from "../../runtime/wiring/tool_catalog.ts";
import type { CustomTools } from "../../runtime/tools/custom/custom_tools.ts";

const loadForeignFile = lazyModule(() => import("./foreign_file.ts"));
const loadConnections = lazyModule(() => import("./server_connections.ts"));

/** The maximum length of the text about a failed server, in characters. The text can contain the server's output. */
const MAX_CHARACTERS = 2_000;

/** The validation of one workspace's agents. Dispose stops the processes that the validation started. */
export interface AgentValidation extends AsyncDisposable {
  /** The errors of the agents directory and of its files. */
  readonly errors: readonly Diagnostic[];
  /** The number of tools of each started server, by the server's name. */
  readonly connected: ReadonlyMap<string, number>;
  /** Returns the problems of the price files. */
  priceProblems(): Diagnostic[];
  /** Returns the diagnostics of an agent file, sorted by line. The file need not exist on disk. */
  validate(source: { path: string; bytes: Uint8Array }): Promise<Diagnostic[]>;
}

/**
 * Loads the workspace's agents and returns their validation. If `connect` (the version sent to servers) is given,
 * validate() starts the MCP servers that a file names.
 */
export async function openAgentValidation(
  settings: WorkspaceSettings,
  options: { connect?: string } = {},
): Promise<AgentValidation> {
  const { directories, environment } = settings;
  const machineTimeZone = readMachineTimeZone(settings.shell["TZ"]);
  const registry = new AgentRegistry(settings);
  const { errors } = await registry.load();
  const clock = new SystemClock();
  const prices = new ModelPrices({
    files: directories.pricingFiles,
    clock,
    log: { write: () => {} },
  });
  const connected = new Map<string, number>();
  let servers: Promise<ServerConnections> | undefined;
  const connect = async (version: string, name: string): Promise<string | undefined> => {
    servers ??= loadConnections().then(({ openServerConnections }) =>
      openServerConnections({ settings, registry, clock, version })
    );
    const connection = await (await servers).connect(name);
    if ("problem" in connection) return toPlainLine(connection.problem, MAX_CHARACTERS);
    connected.set(name, connection.tools.length);
  };
  let customTools: Promise<CustomTools> | undefined;
  const inspectResources = createInspection(settings, {
    inspectCustomTool: async (name) => {
      if (name === WEB_SEARCH && !await hasToolFile(name, directories.toolsDir)) {
        const problem = describeMissingSearch(
          settings.config.search,
          (one) => environment.get(one),
        );
        return problem === undefined ? { toolNames: [], linksOut: [], unset: [] } : { problem };
      }
      // The processes of custom tools are started on demand, because few workspaces have custom tools.
      customTools ??= openWorkspaceTools({
        settings,
        registry,
        clock,
        executable: Deno.execPath(),
      });
      return await (await customTools).inspect(name);
    },
    ...(options.connect !== undefined && {
      connect: (name: string) => connect(options.connect ?? "", name),
    }),
  });
  return {
    errors,
    connected,
    priceProblems: () => prices.lists().flatMap(({ problems }) => problems),
    async validate(source) {
      const clashes = registry.conflictsOf(source.path);
      // A warning among `clashes` means that the registry ignores the file, so the file's content is not checked.
      if (clashes.some(({ severity }) => severity === "warning")) return [...clashes];
      const copy = registry.copyWarnings(source.path);
      const found = await validateAgent(source, {
        ...settings,
        hasDatabase: settings.database !== undefined,
        hostNames: () => hostNames(settings),
        machineTimeZone,
        prices,
        inspectResources,
        agentIds: registry.list().map(({ id }) => id),
        startersOf: (id) => registry.get(id)?.after.map(({ agentId }) => agentId) ?? [],
      });
      if (found.length > 0) {
        const { diagnoseForeignFile } = await loadForeignFile();
        const foreign = diagnoseForeignFile(source, found);
        if (foreign !== undefined) return [foreign];
      }
      return [
        ...clashes,
        ...copy,
        ...found.filter(({ severity }) => copy.length === 0 || severity === "error"),
      ];
    },
    async [Symbol.asyncDispose]() {
      await (await customTools)?.[Symbol.asyncDispose]();
      await (await servers)?.[Symbol.asyncDispose]();
    },
  };
}
