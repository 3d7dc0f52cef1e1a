// Opens the sources of tools. Each source is opened with the first agent that needs it, and closed with the runtime.
import type { Database } from "../database/database.ts";
import { openPaths } from "../agents/agent_paths.ts";
import type { AgentRegistry } from "../agents/registry.ts";
import type { Context } from "../config/context.ts";
import { ProviderKeys } from "../models/provider_keys.ts";
import { once } from "./once.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import type { WorkspaceSettings } from "../config/settings.ts";
import type { ToolCatalog } from "../tools/agent_tools.ts";
import { UnmatchedGuards } from "../tools/unmatched_guards.ts";
import type { ProcessSandbox } from "../sandbox/process_sandbox.ts";
import type { CustomTools } from "../tools/custom/custom_tools.ts";
import type { MailAccounts } from "../mail/mail_accounts.ts";
import { mailOpener } from "./open_mail.ts";
import type { McpLimits } from "../tools/mcp/mcp_limits.ts";
import type { KnownToolStore } from "../tools/mcp/listing/known_tools.ts";
import type { ForwardProxy } from "../tools/http/forward_proxy.ts";
import type { McpServers } from "../tools/mcp/mcp_servers.ts";
import type { TokenSecrets } from "../tools/mcp/sign_in/token_secrets.ts";
import type { Skills } from "../tools/skills/skills.ts";
import { describeMissingSearch } from "../config/search_schema.ts";
import { type HttpPolicy, servicePolicy } from "../tools/http/http_policy.ts";
import type { Tool } from "../tools/definition/tool.ts";
import { ToolsUnavailable } from "../tools/failures/tools_unavailable.ts";
import { WEB_SEARCH } from "../vocabulary/tool_vocabulary.ts";
import { lazyModule } from "../../base/lazy_module.ts";

const loadToolbox = lazyModule(() => import("../tools/toolbox.ts"));
const loadAgentTools = lazyModule(() => import("../tools/agent_tools.ts"));
const loadToolFiles = lazyModule(() => import("../tools/custom/tool_files.ts"));
const loadWebSearch = lazyModule(() => import("../tools/builtin/web_search.ts"));
const loadSkills = lazyModule(() => import("../tools/skills/skills.ts"));
const loadHostedScripts = lazyModule(() => import("../tools/custom/hosted_scripts.ts"));
const loadHostProgram = lazyModule(() => import("../tools/custom/host_program.ts"));
const loadSmallEnvironment = lazyModule(() => import("../tools/processes/small_environment.ts"));
const loadCustomTools = lazyModule(() => import("../tools/custom/custom_tools.ts"));
const loadProcessSandbox = lazyModule(() => import("../sandbox/process_sandbox.ts"));
const loadForwardProxy = lazyModule(() => import("../tools/http/forward_proxy.ts"));
const loadSandboxGap = lazyModule(() => import("../permissions/sandbox_gap.ts"));
const loadMcpServers = lazyModule(() => import("../tools/mcp/mcp_servers.ts"));
const loadCredentials = lazyModule(() => import("../storage/open_credentials.ts"));
const loadMailTools = lazyModule(() => import("../tools/mail/mail_tools.ts"));
const loadShell = lazyModule(() => import("../tools/shell/shell.ts"));

/** Options of openToolCatalog(). */
export interface ToolCatalogOptions extends Pick<Context, "settings" | "clock" | "log"> {
  registry: AgentRegistry;
  version: string;
  /** The path of the running program, read at its start. */
  executable: string;
  /** Returns the TCP ports of the service itself, which agents must not reach. */
  ownPorts: () => readonly number[];
  /** The fingerprints of used MCP tools. Undefined in a process that calls no such tool. */
  knownTools?: KnownToolStore;
  /** The opened database. Undefined in a process that opens a shared database only for the sign-ins to MCP servers. */
  db?: Database;
  /** The tokens of remote MCP servers, which are redacted in all output. */
  tokenSecrets: TokenSecrets;
  /** Returns true if a warning is given for the first time in this state directory. */
  isFirstWarning: (warning: string) => Promise<boolean>;
  /** Receives the resources that must be closed. */
  resources: AsyncDisposableStack;
  /** Opens the mail accounts that triggers and tools share. Absent: the catalog opens its own. */
  openMail?: () => Promise<MailAccounts>;
}

/** Opens the catalog. Opens the built-in tools at once and everything else on demand. */
export async function openToolCatalog(options: ToolCatalogOptions): Promise<ToolCatalog> {
  const { settings, log, ownPorts } = options;
  const openSandbox = once(() => openProcessSandbox(options));
  const openProxy = once(() => openForwardProxy(options));
  const { openMail = mailOpener(options) } = options;
  const [{ createBuiltinTools }, { ToolCatalog }] = await Promise.all([
    loadToolbox(),
    loadAgentTools(),
  ]);
  return new ToolCatalog({
    builtin: createBuiltinTools({
      http: servicePolicy(settings, ownPorts),
    }),
    idleGuards: new UnmatchedGuards({ log, defaults: () => settings.config.defaults.confirmTools }),
    openWebSearch: (how) =>
      openWebSearch(settings, { ...how, http: servicePolicy(settings, ownPorts) }),
    openSkills: once(async () => await openSkills(options, await openSandbox())),
    openCustomTools: once(async () => await openCustomTools(options, await openSandbox())),
    openMcpServers: once(async () =>
      await openMcpServers({ ...options, proxy: await openProxy() }, await openSandbox())
    ),
    async openShell({ shell, ...agent }, { offline = false }) {
      if (shell === undefined) return undefined;
      const [{ createShell }, { smallEnvironment }] = await Promise.all([
        loadShell(),
        loadSmallEnvironment(),
      ]);
      const { directories: { workspace, stateDir }, environment } = settings;
      const keys = new ProviderKeys(() => options.registry.list());
      const lookup = (name: string) => environment.get(name);
      return await createShell({ ...agent, shell }, {
        sandbox: await openSandbox(),
        environment: smallEnvironment(lookup),
        lookup: (name) => keys.has(name) ? undefined : lookup(name),
        openProxy,
        workspace,
        stateDir,
        offline,
      });
    },
    async openMailTools({ mail, autoApprove }) {
      if (mail === undefined) return [];
      const { createMailTools } = await loadMailTools();
      return createMailTools({ mail, autoApprove }, openMail);
    },
    async findSandboxGap(agent) {
      const { sandboxGap } = await loadSandboxGap();
      const gaps = await sandboxGap(agent, settings, async () => (await openSandbox()).support());
      return gaps.length === 0 ? undefined : gaps.map(({ message }) => message).join(" ");
    },
  });
}

/** Returns the tool web_search as ToolSources describes. */
async function openWebSearch(
  settings: WorkspaceSettings,
  { offline, http: policy }: { offline: boolean; http: HttpPolicy },
): Promise<Tool | undefined> {
  const [{ hasToolFile }, { createWebSearch }] = await Promise.all([
    loadToolFiles(),
    loadWebSearch(),
  ]);
  if (await hasToolFile(WEB_SEARCH, settings.directories.toolsDir)) return undefined;
  const lookup = (name: string) => settings.environment.get(name);
  const problem = describeMissingSearch(settings.config.search, lookup);
  if (!offline && problem !== undefined) throw new ToolsUnavailable(problem);
  return createWebSearch({ settings: () => settings.config.search, lookup, policy });
}

/** Opens the sandbox for the processes that agents start. Logs a warning if no sandbox is available. */
export async function openProcessSandbox(
  { settings, log }: Pick<ToolCatalogOptions, "settings"> & { log?: ServiceLog },
): Promise<ProcessSandbox> {
  const { ProcessSandbox } = await loadProcessSandbox();
  return new ProcessSandbox({
    mode: () => settings.config.sandbox,
    home: settings.home,
    onMissing: (sentence) => log?.write("warn", sentence),
  });
}

async function openSkills(
  { settings, executable }: ToolCatalogOptions,
  sandbox: ProcessSandbox,
): Promise<Skills> {
  const [{ Skills }, scripts, { ownProgram }, { smallEnvironment }] = await Promise.all([
    loadSkills(),
    loadHostedScripts(),
    loadHostProgram(),
    loadSmallEnvironment(),
  ]);
  const { directories, home } = settings;
  const lookup = (name: string) => settings.environment.get(name);
  const host = { directories, program: ownProgram(executable), lookup, sandbox };
  return new Skills({
    directories,
    home,
    runHostedScript: (script, context) => scripts.runHostedScript(host, script, context),
    // Python must not write compiled files beside its modules, because a skill's lock file does not list them.
    environment: { ...smallEnvironment(lookup), PYTHONDONTWRITEBYTECODE: "1" },
    sandbox,
  });
}

/** Opens the custom tools of a workspace. The caller must dispose them. */
export async function openWorkspaceTools(
  { settings, registry, clock, executable }: Pick<
    ToolCatalogOptions,
    "settings" | "registry" | "clock" | "executable"
  >,
  processSandbox?: ProcessSandbox,
): Promise<CustomTools> {
  const [{ CustomTools }, { ownProgram }] = await Promise.all([
    loadCustomTools(),
    loadHostProgram(),
  ]);
  const keys = new ProviderKeys(() => registry.list());
  return new CustomTools({
    directories: settings.directories,
    program: ownProgram(executable),
    sandbox: processSandbox ?? await openProcessSandbox({ settings }),
    clock,
    lookup: (name) => settings.environment.get(name),
    isProviderKey: (name) => keys.has(name),
  });
}

async function openCustomTools(
  options: ToolCatalogOptions,
  sandbox: ProcessSandbox,
): Promise<CustomTools> {
  return options.resources.use(await openWorkspaceTools(options, sandbox));
}

/**
 * Opens the proxy through which sandboxed programs reach the hosts that they may use. Its socket is in the state directory,
 * or in `folder`.
 */
async function openForwardProxy(
  { settings, resources, ownPorts, folder }:
    & Pick<ToolCatalogOptions, "settings" | "resources" | "ownPorts">
    & { folder?: string },
): Promise<ForwardProxy> {
  const { ForwardProxy } = await loadForwardProxy();
  return resources.use(
    new ForwardProxy({
      socketFile: folder === undefined ? settings.directories.proxySocketFile : `${folder}/net`,
      ownPorts,
    }),
  );
}

/**
 * Opens the MCP servers of a workspace. Their temporary files are in the state directory, or in `folder` for a process
 * beside a running service. With `keepsHomes` the home folders of the servers are in the state directory nevertheless.
 */
export async function openMcpServers(
  options: Omit<ToolCatalogOptions, "executable"> & {
    folder?: string;
    keepsHomes?: boolean;
    limits?: McpLimits;
    proxy?: ForwardProxy;
  },
  sandbox: ProcessSandbox,
): Promise<McpServers> {
  const { settings, clock, log, version, resources, isFirstWarning } = options;
  const [{ McpServers }, { openCredentials }] = await Promise.all([
    loadMcpServers(),
    loadCredentials(),
  ]);
  const { mcpServersFile, workspace, stateDir, ...directories } = settings.directories;
  const { configDir, agentsDir, workspaceEnvFile } = directories;
  const { environment } = settings;
  const keys = new ProviderKeys(() => options.registry.list());
  return resources.use(
    new McpServers({
      file: mcpServersFile,
      workspace,
      stateDir: (options.keepsHomes ? undefined : options.folder) ?? stateDir,
      ...(options.limits && { limits: options.limits }),
      environment,
      variableNames: () => environment.names().filter((name) => !keys.has(name)),
      clock,
      log,
      version,
      confinement: {
        sandbox,
        home: settings.home,
        closed: [configDir, stateDir, agentsDir, mcpServersFile, workspaceEnvFile],
        proxy: options.proxy ?? await openForwardProxy(options),
      },
      agentPaths: (server) => [
        ...new Set(
          options.registry.list().filter(({ mcp }) => mcp.includes(server))
            .flatMap((agent) => openPaths(agent, workspace)),
        ),
      ],
      credentials: await openCredentials({ ...options, secrets: options.tokenSecrets }),
      mcpConfirm: () => settings.config.defaults.mcpConfirm,
      isFirstWarning,
      ...(options.knownTools && { knownTools: options.knownTools }),
    }),
  );
}
