// `inkling start`: starts the service in this terminal or in the background, or prints a unit file for systemd or launchd.
import { performs } from "../../command_line/command.ts";
import type { start } from "../../declarations/service_commands.ts";
import type { ReadyService, ServeOptions, StopReason } from "../../context/app.ts";
import { warnOfConfig } from "../../context/config_warnings.ts";
import type { CommandContext } from "../../context/context.ts";
import { commandFailed, EXIT, misuse } from "../../context/exit.ts";
import { ensureService } from "../../service/daemon.ts";
import { ForegroundReport } from "../../service/foreground_report.ts";
import { findGoneWorkspace, missingWorkspace } from "../../context/missing_workspace.ts";
import { formatPlural } from "../../output/figures.ts";
import type { Output } from "../../output/output.ts";
import { toOneLine } from "../../output/sanitize.ts";

const NO_SOCKET =
  "The service needs a Unix socket, which Deno does not support on Windows: use Inkling in WSL";

const ENDINGS: Readonly<Record<StopReason, string>> = {
  requested: "Stopped on request",
  idle: "Stopped because it was idle. --keep-alive keeps the service running",
  signal: "Stopped",
};

const KEY = "INKLING_API_KEY";

/**
 * The settings of a service start, merged from options and config.yaml. Without `tcp` the service listens only on its Unix
 * socket.
 */
type ServiceFlags = Pick<ServeOptions, "keepAlive" | "tcp">;

/** Starts the service or prints a unit file. A foreground start returns when the service ends. */
export const perform = performs<typeof start>(async (context, options) => {
  const { printUnit: unitKind, daemon } = options;
  const gone = await findGoneWorkspace(context);
  if (gone !== undefined) {
    // Exit code 1 makes systemd retry a foreground start, for a disk that is mounted later. Exit code 2 makes it give up.
    const isWaitedFor = unitKind === undefined && daemon === undefined;
    throw missingWorkspace(gone, isWaitedFor ? EXIT.failed : EXIT.usage);
  }
  if (unitKind !== undefined) {
    const { formatUnit } = await import("../../service/units/print_unit.ts");
    return context.output.line((await formatUnit(context, unitKind, options)).trimEnd());
  }
  const flags = await readFlags(context, options);
  return daemon ? await startInBackground(context, flags) : await serve(context, flags);
});

/**
 * Merges the options with config.yaml. Throws CommandFailure for a TCP port without a key, because any TCP client could
 * then run agents.
 */
async function readFlags(
  context: CommandContext,
  options: { keepAlive?: true; port?: number; host?: string; apiKey?: string },
): Promise<ServiceFlags> {
  const { app, output } = context;
  const defaults = await app.serviceDefaults(context);
  const { key, keyFile } = defaults;
  const keepAlive = options.keepAlive ?? defaults.keepAlive;
  const port = options.port ?? defaults.port;
  if (port === null) {
    if (options.apiKey !== undefined || options.host !== undefined) {
      output.warning("--api-key and --host have no effect without --port or service.port");
    }
    return { keepAlive };
  }
  const apiKey = options.apiKey ?? key ?? "";
  if (apiKey === "") {
    const source = options.port === undefined ? `service.port (${port})` : "--port";
    throw misuse(
      `${source} requires a key, because TCP clients must authenticate. ` +
        `Add the line ${KEY}=<a long random text> to ${keyFile}, or set the variable ${KEY}`,
    );
  }
  return { keepAlive, tcp: { port, host: options.host ?? defaults.host, apiKey } };
}

async function startInBackground(context: CommandContext, flags: ServiceFlags): Promise<void> {
  const { app, output, workspace } = context;
  const places = await app.places(workspace);
  const { client, started } = await ensureService(app, places, flags);
  using _ = client;
  const info = await client.info();
  if (!started) {
    throw commandFailed(
      `Inkling is already running for ${info.workspace} (PID ${info.pid}). "inkling stop" stops it`,
    );
  }
  output.detail(`Inkling is running (PID ${info.pid})`);
  if (!output.quiet) {
    const { agents_loaded: agents, agent_errors: broken, log_file: logFile } = info;
    showFields(output, { ...info, agents, brokenFiles: broken.length, logFile });
  }
  await warnOfConfig(context);
}

async function serve(context: CommandContext, flags: ServiceFlags): Promise<void> {
  const { app, output, workspace } = context;
  if (Deno.build.os === "windows") throw commandFailed(NO_SOCKET);
  await warnOfConfig(context);
  await using report = output.quiet
    ? undefined
    : new ForegroundReport({ app, output, places: await app.places(workspace) });
  const reason = await app.serve({
    workspace,
    ...flags,
    onReady(service) {
      if (report === undefined) return;
      output.sentence(`Inkling ${app.version} is running (PID ${service.pid}). Ctrl+C stops it`);
      showFields(output, service);
      report.begin();
    },
    ...(report && { onEvent: (event) => report.print(event) }),
    ...(output.verbose && { onLogLine: (line: string) => output.errorLine(toOneLine(line)) }),
  });
  await report?.finish();
  // The terminal has printed `^C` at Ctrl+C. An empty line moves the message below it.
  if (reason === "signal" && output.stdout.isTerminal) output.detail("");
  output.detail(ENDINGS[reason]);
}

function showFields(
  output: Output,
  { workspace, agents, brokenFiles: broken, transports, logFile }: Omit<ReadyService, "pid">,
): void {
  output.fields([
    ["Workspace", workspace],
    [
      "Agents",
      broken === 0 ? String(agents) : `${agents}, and ${formatPlural(broken, "broken file")}`,
    ],
    ["Listening", transports.join(", ")],
    ["Log", logFile],
  ]);
}
