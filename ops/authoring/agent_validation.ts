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
import { dollarBudget } from "./validate_model.ts";
import { validateAgent } from "./validate_agent.ts";
import { SystemClock } from "../../base/clock.ts";
import { type Diagnostic, formatDiagnostic } from "../../base/diagnostics.ts";
import { modelsOf } from "../../runtime/models/demo/demo_names.ts";
import { hostNames } from "../../runtime/config/database_settings.ts";
import { modelChain } from "../../runtime/config/providers.ts";
import { modelEndpoint } from "../../runtime/models/endpoint.ts";
import { PriceFile, type PriceList } from "../../runtime/models/price_file.ts";
import { ModelPrices, type PricedModel, priceKeysOf } from "../../runtime/models/pricing.ts";
import type { Config } from "../../runtime/config/config.ts";
import type { WorkspaceSettings } from "../../runtime/config/settings.ts";
import { openWorkspaceTools } from "../../runtime/wiring/tool_catalog.ts";
import type { CustomTools } from "../../runtime/tools/custom/custom_tools.ts";
import { createBuiltinTools } from "../../runtime/tools/toolbox.ts";
import type { Agent } from "../../runtime/agents/agent.ts";
import type { ResourceProblem } from "../../runtime/agents/resource_problem.ts";

const loadForeignFile = lazyModule(() => import("./foreign_file.ts"));
const loadConnections = lazyModule(() => import("./server_connections.ts"));

/** The maximum length of the text about a failed server, in characters. The text can contain the server's output. */
const MAX_CHARACTERS = 2_000;

/** The validation of one workspace's agents. Dispose stops the processes that the validation started. */
export interface AgentValidation extends AsyncDisposable {
  /** The errors of the agents directory and of its files. */
  readonly errors: readonly Diagnostic[];
  /** The names of the built-in tools, which every agent has. */
  readonly toolNames: readonly string[];
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
  const { config, database, directories, environment, home, shell } = settings;
  const machineTimeZone = readMachineTimeZone(shell["TZ"]);
  const registry = new AgentRegistry({ config, directories, home });
  const { errors } = await registry.load();
  const toolNames = createBuiltinTools({ http: { ...config.http, ownPorts: () => [] } })
    .map(({ name }) => name);
  const prices = new ModelPrices({
    files: directories.pricingFiles,
    clock: new SystemClock(),
    log: { write: () => {} },
  });
  const priceFiles = directories.pricingFiles.map((path) => new PriceFile(path));
  const readPrices = () => priceFiles.map((file) => file.current());
  const connected = new Map<string, number>();
  const clock = new SystemClock();
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
    builtinTools: toolNames,
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
        clock: new SystemClock(),
        executable: Deno.execPath(),
      });
      return await (await customTools).inspect(name);
    },
    ...(options.connect !== undefined && {
      connect: (name: string) => connect(options.connect ?? "", name),
    }),
    inspectPrice: async (agent) => {
      const around = { config, prices, lists: readPrices() };
      const found = modelChain(agent.model).map((model) =>
        inspectPrice({ ...agent, model }, around)
      );
      return (await Promise.all(found)).flat();
    },
  });
  return {
    errors,
    connected,
    toolNames,
    priceProblems: () => prices.problems(),
    async validate(source) {
      const clashes = registry.conflictsOf(source.path);
      // A warning among `clashes` means that the registry ignores the file, so the file's content is not checked.
      if (clashes.some(({ severity }) => severity === "warning")) return [...clashes];
      const copy = registry.copyWarnings(source.path);
      const found = await validateAgent(source, {
        config,
        hasDatabase: database !== undefined,
        hostNames: () => hostNames({ database }),
        directories,
        home,
        environment,
        machineTimeZone,
        modelEndpoint,
        modelsOf,
        // A broken price counts as known here. inspectPrice() reports it, and the check of missing prices would advise to
        // add a price.
        hasPrice: async (model) =>
          findBrokenPrice(readPrices(), model) !== undefined || await prices.hasPrice(model),
        knownTools: toolNames,
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

/** Warns about an agent with a dollar limit if its model's price entry is broken or a price file cannot be read. */
async function inspectPrice(
  { model, settings, budget, unpriced }: Pick<Agent, "model" | "settings" | "budget" | "unpriced">,
  { config, prices, lists }: {
    config: Pick<Config, "budget" | "pinKeys">;
    prices: Pick<ModelPrices, "hasPrice">;
    lists: readonly PriceList[];
  },
): Promise<ResourceProblem[]> {
  if (model === undefined) return [];
  const isLimited = settings.maxCostUsd !== null;
  const refusing = unpriced === "refuse" ? dollarBudget({ budget }, { config }) : undefined;
  if (!isLimited && refusing === undefined) return [];
  const isKnown = await prices.hasPrice(model);
  const broken = findBrokenPrice(lists, model);
  if (broken !== undefined) {
    const consequence = isKnown
      ? "another source's price is used"
      : refusing !== undefined
      ? `${refusing.budget} refuses all calls`
      : "max_cost_usd is not enforced, unless the endpoint reports costs";
    return [{
      field: "model",
      severity: "warning",
      message: `The price of ${model.provider}/${model.name} is broken: ${
        formatDiagnostic(broken)
      }`,
      hint: `until it is fixed, ${consequence}`,
    }];
  }
  if (isKnown || !isLimited) return [];
  return lists.flatMap(({ failure }): ResourceProblem[] =>
    failure === undefined ? [] : [{
      field: "model",
      severity: "warning",
      message: `No price can be read, so max_cost_usd is not enforced: ${
        formatDiagnostic(failure)
      }`,
    }]
  );
}

/**
 * Returns the error of the price entry that applies to the model. Undefined if that entry is valid or does not exist.
 * Searches `lists` and their keys in the order of ModelPrices.
 */
function findBrokenPrice(
  lists: readonly PriceList[],
  model: Pick<PricedModel, "provider" | "name">,
): Diagnostic | undefined {
  const keys = priceKeysOf(model);
  for (const { prices, broken } of lists) {
    for (const key of keys) {
      const error = broken.get(key);
      if (error !== undefined) return error;
      if (prices.has(key)) return undefined;
    }
  }
  return undefined;
}
