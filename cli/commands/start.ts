// start: the service, here or in the background.
import type { ReadyService, StopReason } from "../app.ts";
import { type CommandContext, workspaceOf } from "../context.ts";
import { ensureService } from "../daemon.ts";
import { CommandFailure, EXIT, type ExitCode } from "../exit.ts";
import { formatPlural } from "../output/figures.ts";
import { toOneLine } from "../output/sanitise.ts";

const ENDINGS: Readonly<Record<StopReason, string>> = {
  requested: "Stopped on request",
  idle: "Stopped: there was nothing to do. --keep-alive keeps the service running",
  signal: "Stopped",
};

/** Starts the service and, in the foreground, stays until it ends. */
export async function start(
  context: CommandContext,
  options: { daemon?: true; keepAlive?: true },
): Promise<ExitCode> {
  const keepAlive = options.keepAlive ?? false;
  return options.daemon ? await startInBackground(context, keepAlive) : await serve(
    context,
    keepAlive,
  );
}

async function startInBackground(context: CommandContext, keepAlive: boolean): Promise<ExitCode> {
  const { app, output, workspace } = context;
  const places = await app.places(workspace);
  const { client, started } = await ensureService(app, places, { keepAlive });
  using _ = client;
  const info = await client.info();
  if (!started) {
    throw new CommandFailure(
      EXIT.failed,
      `Inkling is already running for ${info.workspace} (PID ${info.pid})`,
    );
  }
  output.detail(`Inkling is running (PID ${info.pid})`);
  if (!output.quiet) {
    output.fields([
      ["Workspace", info.workspace],
      ["Agents", describeAgents(info.agents_loaded, info.agent_errors.length)],
      ["Log", info.log_file],
    ]);
  }
  return EXIT.ok;
}

async function serve(context: CommandContext, keepAlive: boolean): Promise<ExitCode> {
  const { app, output } = context;
  const reason = await app.serve({
    ...workspaceOf(context),
    keepAlive,
    onReady: (service) => showReady(context, service),
    ...(output.verbose && { onLogLine: (line: string) => output.errorLine(toOneLine(line)) }),
  });
  output.detail(ENDINGS[reason]);
  return EXIT.ok;
}

function showReady({ app, output }: CommandContext, service: ReadyService): void {
  if (output.quiet) return;
  output.line(`Inkling ${app.version} is running (PID ${service.pid}). Ctrl+C stops it`);
  output.fields([
    ["Workspace", service.workspace],
    ["Agents", describeAgents(service.agents, service.brokenFiles)],
    ["Listening", service.transports.join(", ")],
    ["Log", service.logFile],
  ]);
}

function describeAgents(agents: number, broken: number): string {
  return broken === 0 ? String(agents) : `${agents}, and ${formatPlural(broken, "broken file")}`;
}
