// Where tools come from, each source opened when the first agent that needs it runs, and closed with the runtime.
import type { AgentRegistry } from "./agents/registry.ts";
import type { Clock } from "./clock.ts";
import { isProviderKey } from "./models/provider_keys.ts";
import { once } from "./once.ts";
import type { ServiceLog } from "./service_log/service_log.ts";
import type { WorkspaceSettings } from "./config/settings.ts";
import type { ToolShed } from "./tools/agent_tools.ts";
import type { CustomTools } from "./tools/custom/custom_tools.ts";
import type { McpServers } from "./tools/mcp/mcp_servers.ts";
import type { Skills } from "./tools/skills/skills.ts";

/** What tools are opened with. */
export interface ToolShedOptions {
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

/** Opens the shed: the built-in tools now, everything else when it is asked for. */
export async function openToolShed(options: ToolShedOptions): Promise<ToolShed> {
  const { settings, registry, ownPorts } = options;
  const [{ createBuiltinTools }, { ToolShed }] = await Promise.all([
    import("./tools/toolbox.ts"),
    import("./tools/agent_tools.ts"),
  ]);
  return new ToolShed({
    builtin: createBuiltinTools({ http: { ...settings.config.http, ownPorts } }),
    findAgent: (id) => registry.get(id),
    openSkills: once(() => openSkills(options)),
    openCustomTools: once(() => openCustomTools(options)),
    openMcpServers: once(() => openMcpServers(options)),
  });
}

async function openSkills({ settings, executable }: ToolShedOptions): Promise<Skills> {
  const [{ Skills }, { HostedScripts }, { ownProgram }, { smallEnvironment }] = await Promise.all([
    import("./tools/skills/skills.ts"),
    import("./tools/custom/hosted_scripts.ts"),
    import("./tools/custom/host_program.ts"),
    import("./tools/processes/small_environment.ts"),
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
    ToolShedOptions,
    "settings" | "registry" | "clock" | "executable"
  >,
): Promise<CustomTools> {
  const [{ CustomTools }, { ownProgram }] = await Promise.all([
    import("./tools/custom/custom_tools.ts"),
    import("./tools/custom/host_program.ts"),
  ]);
  return new CustomTools({
    directories: settings.directories,
    program: ownProgram(executable),
    clock,
    lookup: (name) => settings.environment.get(name),
    isProviderKey: (name) => isProviderKey(name, registry.list()),
  });
}

async function openCustomTools(options: ToolShedOptions): Promise<CustomTools> {
  return options.resources.use(await openWorkspaceTools(options));
}

async function openMcpServers(options: ToolShedOptions): Promise<McpServers> {
  const { settings, clock, log, version, resources } = options;
  const { McpServers } = await import("./tools/mcp/mcp_servers.ts");
  const { mcpServersFile, workspace } = settings.directories;
  const { environment } = settings;
  return resources.use(
    new McpServers({ file: mcpServersFile, workspace, environment, clock, log, version }),
  );
}
