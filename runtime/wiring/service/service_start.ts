// Starts a service: resumes interrupted runs, cleans up, follows changes of files and starts the triggers.
import { type MachineTimeZone, TIME_ZONE_HINT } from "../../agents/machine_time_zone.ts";
import { hostNames } from "../../config/database_settings.ts";
import { describeHostMismatch } from "../../vocabulary/trigger_kinds.ts";
import type { WorkspaceSettings } from "../../config/settings.ts";
import { findMissingWorkspace, missingWorkspaceHint } from "../../config/workspace_folder.ts";
import { RetentionSweeps } from "../../executions/runs/retention.ts";
import { findDescriptors } from "../../../base/files/descriptor_link.ts";
import { lazyModule } from "../../../base/lazy_module.ts";
import { clearStagedFiles } from "../../../base/files/staged_files.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";
import type { OpenedParts } from "../open_parts.ts";
import { createFileRecorder } from "./recorded_files.ts";
import { createServiceTriggers } from "./service_triggers.ts";
import type { Triggers } from "../../triggers/triggers.ts";

const loadJoinNodes = lazyModule(() => import("./join_nodes.ts"));

/** Starts the service and returns its triggers. Rejects if the database cannot be used. */
export async function startService(parts: OpenedParts): Promise<Triggers> {
  const { settings, registry, agentFiles, folders, runner, machineTimeZone } = parts;
  const { toolResources, resources, clock, log, node, nodes } = parts;
  await warnOfMissingWorkspace(settings, log);
  await clearStaged(settings, log);
  warnOfMissingLink(settings, log);
  if (settings.shell["TZ"] !== undefined) warnOfTimeZone(machineTimeZone(), log);
  agentFiles.afterReload(() => runner.agentsRead());
  resources.use(folders);
  resources.use(agentFiles);
  agentFiles.watch();
  resources.use(toolResources);
  // Added before the runner, so that the sender is closed after it and can send the messages of the last runs.
  resources.use(parts.notifications.sender);
  let triggers: Triggers | undefined;
  if (node !== undefined && nodes !== undefined) {
    const { joinNodes } = await loadJoinNodes();
    resources.use(await joinNodes({ ...parts, node, nodes, triggers: () => triggers }));
  }
  resources.use(runner);
  const unsettled = await parts.budgets.settleAbandoned(clock.now());
  if (unsettled > 0) {
    const message = "Model calls that a killed process was making count in full in the budgets";
    log.write("warn", message, { calls: unsettled });
  }
  await runner.recover();
  const sweeps = resources.use(
    new RetentionSweeps({
      retention: {
        async sweep(options) {
          await parts.retention.sweep(options);
          await parts.audit.sweep();
        },
      },
      clock,
      log,
      days: () => ({
        checkpointDays: settings.config.checkpointRetentionDays,
        logDays: settings.config.logRetentionDays,
      }),
    }),
  );
  await sweeps.start();
  const created = triggers = resources.use(createServiceTriggers(parts));
  const reconcile = async () => {
    const isUnreadable = (id: string) => registry.unreadableProblem(id) !== undefined;
    const isElsewhere = (id: string) =>
      describeHostMismatch(registry.get(id)?.onlyOn, () => hostNames(settings)) !== undefined;
    await created.reconcile(registry.list(), { isUnreadable, isElsewhere });
  };
  agentFiles.afterReload(reconcile);
  await reconcile();
  const recordFiles = createFileRecorder(parts);
  agentFiles.afterReload(recordFiles);
  await recordFiles();
  const living = await nodes?.listNodes() ?? [];
  await parts.notifications.start({
    isAlone: !living.some(({ isAlive, isThis }) => isAlive && !isThis),
  });
  created.start();
  resources.use(parts.follower);
  parts.follower.watch(folders);
  return created;
}

/** Logs that the workspace is missing. The service continues, because a disk may be mounted later. */
async function warnOfMissingWorkspace(
  { config, directories: { workspace }, home }: WorkspaceSettings,
  log: ServiceLog,
): Promise<void> {
  if (await findMissingWorkspace(workspace, { home }) === undefined) return;
  const message = "The workspace does not exist: there are no agents until it does";
  log.write("warn", message, { workspace, hint: missingWorkspaceHint(config) });
}

/** Finishes or reports the files that a killed service was writing. */
async function clearStaged(
  { directories: { stateDir, configDir, agentsDir } }: WorkspaceSettings,
  log: ServiceLog,
): Promise<void> {
  const message = "A file has a temporary name: the service was killed while an agent moved or " +
    "deleted it. Rename or remove it";
  for (const path of await clearStagedFiles(stateDir, [stateDir, configDir, agentsDir])) {
    log.write("warn", message, { path });
  }
}

/**
 * Warns if the state folder lacks the link to this process's file descriptors, without which file tools cannot keep folders
 * open. Only used on Linux. A process with narrow permissions cannot create the link.
 */
function warnOfMissingLink(
  { directories: { stateDir } }: WorkspaceSettings,
  log: ServiceLog,
): void {
  if (Deno.build.os !== "linux" || findDescriptors(stateDir) !== undefined) return;
  const message = "File tools cannot keep folders open: a folder that is swapped for a link is " +
    "detected only by its timestamps";
  const hint = 'start the service once with "inkling start", which makes the link it needs';
  log.write("warn", message, { stateDir, hint });
}

function warnOfTimeZone({ name, unknown }: MachineTimeZone, log: ServiceLog): void {
  if (unknown === undefined) return;
  const hint = `${TIME_ZONE_HINT}, then start the service again`;
  log.write("warn", `TZ is not a known time zone: local times are ${name}`, { tz: unknown, hint });
}
