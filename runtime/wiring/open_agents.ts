// Opens the agents of a workspace, and the objects that depend on the agents' keys: secrets, redaction and the service log.
import { join } from "../../base/plain_path.ts";
import type { Agent } from "../agents/agent.ts";
import { AgentRegistry } from "../agents/registry.ts";
import type { ResourceProblem } from "../agents/resource_problem.ts";
import { DATABASE_PASSWORD_VARIABLE, withDatabaseSecrets } from "../config/database_settings.ts";
import { secretVariableOf } from "../config/mail_schema.ts";
import { channelVariables } from "../config/notify_schema.ts";
import type { Context } from "../config/context.ts";
import { isConfined } from "../../base/denied_permission.ts";
import { formatDiagnostic } from "../../base/diagnostics.ts";
import { EventBus } from "../events/bus.ts";
import { lazyModule } from "../../base/lazy_module.ts";
import { ProviderKeys } from "../models/provider_keys.ts";
import { Redactor } from "../secrets/redactor.ts";
import { joinSecrets, KeptSecrets, selectSecrets } from "../secrets/secret.ts";
import { RedactedLog } from "../service_log/redacted_log.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import { withCollectorSecrets } from "../telemetry/collector_secrets.ts";
import { withServerSecrets } from "../tools/mcp/servers_file/server_secrets.ts";
import { TokenSecrets } from "../tools/mcp/sign_in/token_secrets.ts";
import { AgentFiles } from "../triggers/agent_files.ts";
import { FolderWatches } from "../folders/folder_watches.ts";

const loadPermissionGaps = lazyModule(() => import("../permissions/permission_gaps.ts"));

/** The agents and the objects that were opened with them. */
export interface OpenedAgents {
  registry: AgentRegistry;
  agentFiles: AgentFiles;
  /** The folder watches, which are not started. The caller must dispose them. */
  folders: FolderWatches;
  /** Removes all secrets from a text. */
  redactor: Redactor;
  /** Removes all secrets from the texts of runs. It notices changed secrets at a new run, and every KEPT_MS during a run. */
  runRedactor: Redactor;
  /** Makes the next redaction of a run check for changed secrets. */
  renewSecrets(): void;
  /** The tokens of remote MCP servers, which all redactors know. */
  tokenSecrets: TokenSecrets;
  /** Removes the keys of model providers from a text, and no other secrets. */
  keyRedactor: Redactor;
  isProviderKey: (name: string) => boolean;
  events: EventBus;
  /** The service log, which redacts its lines. */
  log: ServiceLog;
}

/** Creates the registry of the agents and the objects around it. `log` receives redacted lines only. */
export async function openAgents(
  { settings, clock, log: unredacted }: Pick<Context, "settings" | "clock" | "log">,
): Promise<OpenedAgents> {
  const { database, directories, environment, home } = settings;
  const registry = new AgentRegistry({
    directories,
    get config() {
      return settings.config;
    },
    home,
    // The registry calls this function only in load(), after `log` has been created below.
    inspect: (agent) => findGaps(agent, { settings, log }),
  });
  const keys = new ProviderKeys(() => registry.list());
  const lookup = (name: string) => environment.get(name);
  const named = () => [
    ...keys.namedByAgents(),
    ...channelVariables(settings.config.notify),
    ...[settings.config.search?.keyEnv ?? [], settings.config.signIn?.clientSecretEnv ?? []].flat(),
    ...settings.config.mail.flatMap((one) => secretVariableOf(one) ?? []),
    ...(database === undefined ? [] : [DATABASE_PASSWORD_VARIABLE]),
  ];
  // A new token is redacted at once, although the runs keep their list of secrets for a moment.
  const tokenSecrets = new TokenSecrets(() => kept.renew());
  const secrets = joinSecrets(
    withServerSecrets(
      withCollectorSecrets(
        withDatabaseSecrets(
          () => environment.secrets(named()),
          // A password that another source overrides is redacted, too.
          [database?.address, settings.config.database],
        ),
        lookup,
      ),
      { path: directories.mcpServersFile, lookup },
    ),
    () => tokenSecrets.list,
  );
  const redactor = new Redactor(secrets);
  const kept = new KeptSecrets(secrets, clock);
  const listKept = () => kept.list();
  const log: ServiceLog = new RedactedLog(unredacted, redactor);
  for (const problem of [...settings.config.warnings, ...environment.problems()]) {
    log.write("warn", formatDiagnostic(problem));
  }
  const events = new EventBus(log);
  const folders = new FolderWatches({
    clock,
    log,
    probeFolder: join(directories.stateDir, "watch"),
  });
  const { agentsDir } = directories;
  const agentFiles = new AgentFiles({ registry, agentsDir, events, clock, log, folders });
  await agentFiles.reload();
  return {
    registry,
    agentFiles,
    folders,
    redactor,
    runRedactor: new Redactor(listKept),
    renewSecrets: () => kept.renew(),
    tokenSecrets,
    keyRedactor: new Redactor(selectSecrets(listKept, () => keys.all)),
    isProviderKey: (name: string) => keys.has(name),
    events,
    log,
  };
}

/**
 * Returns warnings about the permissions that an agent needs and Deno's flags deny, and logs each once. Checks only if
 * flags deny anything.
 */
async function findGaps(
  agent: Agent,
  { settings, log }: Pick<Context, "settings" | "log">,
): Promise<ResourceProblem[]> {
  if (!isConfined()) return [];
  const { permissionGaps } = await loadPermissionGaps();
  const gaps = await permissionGaps(agent, settings);
  for (const { message, hint } of gaps) log.write("warn", message, { agent: agent.id, hint });
  return gaps;
}
