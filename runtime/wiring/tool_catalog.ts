// Where tools come from, each source opened when the first agent that needs it runs, and closed with the runtime.
import type { AgentRegistry } from "../agents/registry.ts";
import type { Clock } from "../../base/clock.ts";
import { ProviderKeys } from "../models/provider_keys.ts";
import { once } from "./once.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import type { WorkspaceSettings } from "../config/settings.ts";
import type { ToolCatalog } from "../tools/agent_tools.ts";
import { IdleGuards } from "../tools/http/idle_guards.ts";
import type { CustomTools } from "../tools/custom/custom_tools.ts";
import type { McpServers } from "../tools/mcp/mcp_servers.ts";
import type { Skills } from "../tools/skills/skills.ts";
import { lazyModule } from "../../base/lazy_module.ts";

const loadToolbox = lazyModule(() => import("../tools/toolbox.ts"));
const loadAgentTools = lazyModule(() => import("../tools/agent_tools.ts"));
const loadSkills = lazyModule(() => import("../tools/skills/skills.ts"));
const loadHostedScripts = lazyModule(() => import("../tools/custom/hosted_scripts.ts"));
const loadHostProgram = lazyModule(() => import("../tools/custom/host_program.ts"));
const loadSmallEnvironment = lazyModule(() => import("../tools/processes/small_environment.ts"));
const loadCustomTools = lazyModule(() => import("../tools/custom/custom_tools.ts"));
const loadMcpServers = lazyModule(() => import("../tools/mcp/mcp_servers.ts"));

/** What tools are opened with. */
export interface ToolCatalogOptions {
  settings: WorkspaceSettings;
  registry: AgentRegistry;
  clock: Clock;
  log: ServiceLog;
  version: string;
  /** The path of this program, as it was at the start. */
  executable: string;
  /** TCP ports of the service itself, which agents must not reach. */
  ownPorts: () => readonly number[];
  /** Takes what must be closed. */
  resources: AsyncDisposableStack;
}

/** Opens the catalog: the built-in tools now, everything else when it is asked for. */
export async function openToolCatalog(options: ToolCatalogOptions): Promise<ToolCatalog> {
  const { settings, registry, log, ownPorts } = options;
  const [{ createBuiltinTools }, { ToolCatalog }] = await Promise.all([
    loadToolbox(),
    loadAgentTools(),
  ]);
  return new ToolCatalog({
    builtin: createBuiltinTools({
      // Asked at each request: config.yaml may change.
      http: {
        get allow() {
          return settings.config.http.allow;
        },
        get deny() {
          return settings.config.http.deny;
        },
        ownPorts,
        ownAddresses,
      },
    }),
    idleGuards: new IdleGuards({ log, defaults: () => settings.config.defaults.confirmTools }),
    findAgent: (id) => registry.get(id),
    openSkills: once(() => openSkills(options)),
    openCustomTools: once(() => openCustomTools(options)),
    openMcpServers: once(() => openMcpServers(options)),
  });
}

/** The addresses of this machine as they are now: networks come and go while a service runs. */
function ownAddresses(): string[] {
  return Deno.networkInterfaces().map(({ address }) => address);
}

async function openSkills({ settings, executable }: ToolCatalogOptions): Promise<Skills> {
  const [{ Skills }, { HostedScripts }, { ownProgram }, { smallEnvironment }] = await Promise.all([
    loadSkills(),
    loadHostedScripts(),
    loadHostProgram(),
    loadSmallEnvironment(),
  ]);
  const { directories, home } = settings;
  const lookup = (name: string) => settings.environment.get(name);
  return new Skills({
    directories,
    home,
    scriptHost: new HostedScripts({ directories, program: ownProgram(executable), lookup }),
    environment: smallEnvironment(lookup),
  });
}

/** Opens the custom tools of a workspace. Dispose of them. */
export async function openWorkspaceTools(
  { settings, registry, clock, executable }: Pick<
    ToolCatalogOptions,
    "settings" | "registry" | "clock" | "executable"
  >,
): Promise<CustomTools> {
  const [{ CustomTools }, { ownProgram }] = await Promise.all([
    loadCustomTools(),
    loadHostProgram(),
  ]);
  const keys = new ProviderKeys(() => registry.list());
  return new CustomTools({
    directories: settings.directories,
    program: ownProgram(executable),
    clock,
    lookup: (name) => settings.environment.get(name),
    isProviderKey: (name) => keys.has(name),
  });
}

async function openCustomTools(options: ToolCatalogOptions): Promise<CustomTools> {
  return options.resources.use(await openWorkspaceTools(options));
}

async function openMcpServers(options: ToolCatalogOptions): Promise<McpServers> {
  const { settings, clock, log, version, resources } = options;
  const { McpServers } = await loadMcpServers();
  const { mcpServersFile, workspace, stateDir } = settings.directories;
  const { environment } = settings;
  return resources.use(
    new McpServers({
      file: mcpServersFile,
      workspace,
      stateDir,
      environment,
      clock,
      log,
      version,
    }),
  );
}
