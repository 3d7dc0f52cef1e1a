// `inkling status`: prints the state of the service.
import { performs } from "../../command_line/command.ts";
import type { status } from "../../declarations/service_commands.ts";
import { formatDuration } from "../../../base/durations.ts";
import type { InfoBody } from "../../../api/schemas/info_schemas.ts";
import type { CliApp, Places } from "../../context/app.ts";
import type { Output } from "../../output/output.ts";
import { errorsOf } from "../../../base/diagnostics.ts";
import { showConfigWarnings } from "../../output/problems.ts";
import { describeStorage, showNodes } from "../../output/reports/nodes.ts";
import { toOneLine } from "../../output/sanitize.ts";
import { formatLocal } from "../../../present/local_time.ts";
import { readInfo, readLivePid } from "../../service/connection.ts";
import { untilSettled } from "../../service/service_start.ts";

/** Prints the state of the service. The exit code is 0 for a stopped service, too. */
export const perform = performs<typeof status>(async (context, options) => {
  const { app, output, workspace } = context;
  const places = await app.places(workspace);
  const info = await readInfo(app, places) ?? await readWhenSettled(app, places);
  if (options.json) {
    output.json(info === undefined ? { running: false } : { running: true, ...info });
  } else if (info === undefined) {
    showStopped(output, places);
  } else {
    showRunning(output, info, app.clock.now());
  }
});

/**
 * Waits for a service that is starting or stopping, and returns the state of the one that has started. Returns undefined if
 * no service runs.
 */
async function readWhenSettled(app: CliApp, places: Places): Promise<InfoBody | undefined> {
  // Read the PID file first: a check of the lock takes it for a moment, which could disturb a start.
  const hasPid = await Deno.stat(places.pidFile).then(() => true, () => false);
  if (!hasPid || await readLivePid(places) === undefined) return undefined;
  using client = await untilSettled(app, places);
  return await client?.info();
}

function showStopped(output: Output, places: Places): void {
  output.line("Inkling is not running");
  if (output.quiet) return;
  output.fields([
    places.workspace !== undefined && ["Workspace", places.workspace],
    ["Log", places.logFile],
  ]);
  output.note('"inkling start -d" starts it');
}

function describeExecutions(info: InfoBody): string {
  const { active_executions: running, waiting_executions: waiting } = info;
  const { resting_executions: resting } = info;
  const counts = [`${running} running`, `${waiting} waiting`];
  return [...counts, ...(resting === 0 ? [] : [`${resting} resting`])].join(", ");
}

function showRunning(output: Output, info: InfoBody, now: number): void {
  output.line(`Inkling is ${output.style.green("running")}`);
  if (output.quiet) return;
  const { storage, nodes = [] } = info;
  // The path of a SQLite database is shown only with --verbose, as is the state folder that contains the file.
  const isStorageShown = storage !== undefined && (storage.kind === "postgres" || output.verbose);
  output.fields([
    ["PID", String(info.pid)],
    ["Version", info.version],
    ["Started", formatLocal(info.started_at)],
    ["Uptime", formatDuration(info.uptime_seconds * 1_000)],
    // A key for some agents does not see these.
    info.workspace !== "" && ["Workspace", info.workspace],
    info.workspace !== "" && ["Listening", info.transports.join(", ")],
    info.workspace !== "" && ["Log", info.log_file],
    isStorageShown && ["Database", describeStorage(storage)],
    ["Agents", `${info.agents_loaded} (${info.agents_enabled} enabled)`],
    ["Executions", describeExecutions(info)],
    ["Scheduler", info.scheduler_status],
    output.verbose && info.state_dir !== "" && ["State", info.state_dir],
    output.verbose && ["Keep alive", info.keep_alive ? "yes" : "no"],
    output.verbose && ["Streams", String(info.active_streams)],
  ]);
  if (nodes.length > 0) {
    output.line();
    showNodes(output, nodes, now);
  }
  const broken = [...info.agent_errors, ...info.agent_warnings]
    .filter(({ diagnostics }) => errorsOf(diagnostics).length > 0).length;
  showConfigWarnings(output, info.config_warnings);
  if (info.triggers_held !== undefined) {
    output.warning(`No trigger fires here: ${toOneLine(info.triggers_held)}`);
  }
  if (info.waiting_executions > 0) output.note('"inkling pending" lists the open questions');
  if (broken > 0) {
    output.warning(`Agent files with errors: ${broken}. "inkling validate" lists the errors`);
  }
}
