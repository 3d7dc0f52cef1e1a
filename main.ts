#!/usr/bin/env -S deno run --no-prompt --no-remote --frozen --allow-read --allow-write --allow-net --allow-env --allow-run --allow-sys
// The composition root: arguments, environment, signals and exit code. It opens what the command line asks for, and
// loads nothing before it is asked for.
import type { CliApp, InfoReport, LocalService, ServeOptions, StopReason } from "./cli/app.ts";
import denoJson from "./deno.json" with { type: "json" };
import type { Clock } from "./runtime/clock.ts";
import type { OpenRuntimeOptions, WorkspaceSettings } from "./runtime/mod.ts";
import type { ServiceLog } from "./runtime/service_log/service_log.ts";

const { version } = denoJson;
/** Whether OTEL_DENO has Deno export telemetry: then Deno itself registers this name. */
const isExporting = Symbol.for("opentelemetry.js.api.1") in globalThis;

/** The user's home. Deno gives no other way without loading a module that is slow to start. */
function homeDirectory(): string {
  const home = Deno.env.get("HOME") ?? Deno.env.get("USERPROFILE");
  if (home !== undefined && home !== "") return home;
  throw new Error(
    "Cannot find the home directory: HOME is not set; set it to the folder that ~ stands for",
  );
}

async function loadSettings(workspace: string | undefined): Promise<WorkspaceSettings> {
  const { loadSettings } = await import("./runtime/config/settings.ts");
  return await loadSettings({
    shell: Deno.env.toObject(),
    home: homeDirectory(),
    ...(workspace === undefined ? {} : { workspace }),
  });
}

async function places(workspace?: string): ReturnType<CliApp["places"]> {
  if (workspace !== undefined) {
    const { directories } = await loadSettings(workspace);
    return directories;
  }
  const { resolveBaseStateDir, resolveSocketFile, stateFilesOf } = await import(
    "./runtime/config/places.ts"
  );
  const env = (name: string) => Deno.env.get(name);
  const stateDir = resolveBaseStateDir(env, homeDirectory());
  return {
    stateDir,
    socketFile: resolveSocketFile(stateDir, env),
    ...stateFilesOf(stateDir),
  };
}

/** Told of every run, where Deno exports what it is told. */
async function telemetry(
  ports: { clock: Clock; log: ServiceLog },
): Promise<Pick<OpenRuntimeOptions, "telemetry">> {
  if (!isExporting) return {};
  const { openTelemetry } = await import("./runtime/telemetry/open_telemetry.ts");
  return { telemetry: openTelemetry({ version, ...ports }) };
}

async function serve(options: ServeOptions): Promise<StopReason> {
  const [
    { openRuntime },
    { serve, toWireEvent },
    { formatLogLine, openLogFile },
    { SystemClock },
    { makeStateDir },
    { parseIdleTimeout, parseLogLevel },
    { onStopSignals },
    { logStrayRejections },
  ] = await Promise.all([
    import("./runtime/mod.ts"),
    import("./server/mod.ts"),
    import("./runtime/service_log/log_file.ts"),
    import("./runtime/clock.ts"),
    import("./runtime/storage/state_dir.ts"),
    import("./runtime/config/service_variables.ts"),
    import("./cli/stop_signals.ts"),
    import("./runtime/service_log/stray_rejections.ts"),
  ]);
  const idleTimeoutMs = parseIdleTimeout(Deno.env.get("INKLING_IDLE_TIMEOUT"));
  const level = parseLogLevel(Deno.env.get("INKLING_LOG_LEVEL"));
  const settings = await loadSettings(options.workspace);
  const { stateDir, logFile } = settings.directories;
  const stop = new AbortController();
  // Heard before there is anything to leave behind, so that every end is in order.
  using _signals = onStopSignals((count) => {
    // Whoever asks twice does not want to wait for the grace.
    if (count > 1) Deno.exit(130);
    stop.abort();
  });
  await makeStateDir(stateDir);
  using file = openLogFile(logFile);
  const clock = new SystemClock();
  const log: ServiceLog = {
    level,
    write(level, message, fields = {}) {
      file.write(level, message, fields);
      options.onLogLine?.(formatLogLine({ at: clock.now(), level, message, fields }));
    },
  };
  let ports: readonly number[] = [];
  await using runtime = await openRuntime({
    settings,
    version,
    log,
    mode: "service",
    clock,
    ownPorts: () => ports,
    ...await telemetry({ clock, log }),
  });
  using _strays = logStrayRejections(runtime.log);
  if (stop.signal.aborted) return "signal";
  const service = await serve(runtime, {
    keepAlive: options.keepAlive,
    ...(options.tcp === undefined ? {} : { tcp: options.tcp }),
    ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
  });
  ports = service.ports;
  runtime.events.subscribe((event) => options.onEvent?.(toWireEvent(event)));
  // `finished` below rejects alike.
  const shutdown = () => void service.shutdown("signal").catch(() => {});
  stop.signal.addEventListener("abort", shutdown);
  if (stop.signal.aborted) shutdown();
  options.onReady({
    pid: Deno.pid,
    workspace: settings.directories.workspace,
    logFile,
    agents: (await runtime.listAgents()).length,
    brokenFiles: runtime.brokenAgentFiles().length,
    transports: service.transports,
  });
  return await service.finished;
}

async function openLocalService(options: { workspace?: string }): Promise<LocalService> {
  const [{ openRuntime }, { createLocalClient }] = await Promise.all([
    import("./runtime/mod.ts"),
    import("./server/local_client.ts"),
  ]);
  const settings = await loadSettings(options.workspace);
  // Problems of files reach the reader through the API; the log is the service's.
  const log: ServiceLog = { write: () => {} };
  const runtime = await openRuntime({ settings, version, log, mode: "read-only" });
  const client = createLocalClient(runtime);
  return {
    client,
    async [Symbol.asyncDispose]() {
      client[Symbol.dispose]();
      await runtime[Symbol.asyncDispose]();
    },
  };
}

async function validate(
  target: string | undefined,
  options: { workspace?: string },
): ReturnType<CliApp["validate"]> {
  const { validateWorkspace } = await import("./runtime/authoring/workspace_validation.ts");
  const files = await validateWorkspace(await loadSettings(options.workspace), target, {
    cwd: Deno.cwd(),
  });
  return files.map(({ diagnostics, ...file }) => ({
    ...file,
    diagnostics: diagnostics.map((one) => ({ ...one, hint: one.hint ?? null })),
  }));
}

async function info(options: { workspace?: string }): Promise<InfoReport> {
  const { describeSetup } = await import("./runtime/setup/setup_report.ts");
  return await describeSetup(await loadSettings(options.workspace));
}

async function permissions(
  options: Parameters<CliApp["permissions"]>[0],
): ReturnType<CliApp["permissions"]> {
  const { deriveFlags } = await import("./runtime/permissions/derive_flags.ts");
  const { sourceCommand } = await import("./cli/self_command.ts");
  const derived = await deriveFlags(await loadSettings(options.workspace), options);
  const flags = derived.flags.map(({ flag }) => flag);
  return { ...derived, command: Deno.build.standalone ? null : sourceCommand(flags) };
}

async function agentNames(options: { workspace?: string }): Promise<string[]> {
  const { listAgentNames } = await import("./runtime/agents/agent_names.ts");
  const { directories } = await loadSettings(options.workspace);
  return await listAgentNames(directories.agentsDir);
}

async function isSetUp(options: { workspace?: string }): Promise<boolean> {
  const { isSetUp } = await import("./runtime/config/first_use.ts");
  return await isSetUp({ ...options, env: (name) => Deno.env.get(name), home: homeDirectory() });
}

async function openInstallation(): ReturnType<CliApp["openInstallation"]> {
  const [{ Installation }, { SystemClock }] = await Promise.all([
    import("./runtime/setup/installation.ts"),
    import("./runtime/clock.ts"),
  ]);
  return new Installation({
    shell: Deno.env.toObject(),
    home: homeDirectory(),
    cwd: Deno.cwd(),
    clock: new SystemClock(),
  });
}

async function openAgentAuthor(
  options: { workspace?: string },
): ReturnType<CliApp["openAgentAuthor"]> {
  const [{ AgentAuthor }, { SystemClock }] = await Promise.all([
    import("./runtime/authoring/agent_author.ts"),
    import("./runtime/clock.ts"),
  ]);
  return new AgentAuthor({
    settings: await loadSettings(options.workspace),
    clock: new SystemClock(),
  });
}

async function compose(): Promise<CliApp> {
  const [{ isConfined, openSurroundings, ownDistribution }] = await Promise.all([
    import("./cli/surroundings.ts"),
    // Most commands ask for it next (isSetUp, places): it comes sooner along with the rest.
    import("./runtime/config/first_use.ts"),
  ]);
  const surroundings = openSurroundings({ kind: Deno.env.get("TERM") });
  const { clock } = surroundings;
  return {
    ...surroundings,
    version,
    get isConfined() {
      return isConfined();
    },
    get distribution() {
      return ownDistribution();
    },
    get environment() {
      return Deno.env.toObject();
    },
    permissions,
    places,
    serve,
    openLocalService,
    validate,
    info,
    agentNames,
    openUiProxy: async (options) => (await import("./server/ui/ui_proxy.ts")).openUiProxy(options),
    openBrowser: async (address) =>
      (await import("./cli/ui/browser.ts")).openBrowser(address, {
        os: Deno.build.os,
        environment: Deno.env.toObject(),
        clock,
      }),
    isSetUp,
    openInstallation,
    openAgentAuthor,
  };
}

if (import.meta.main) {
  // As runtime/tools/custom/host_messages.ts names it.
  const role = Deno.env.get("INKLING_HOST");
  if (role !== undefined) {
    // Inkling started itself, to run an agent's tool or script inside of walls.
    const { runHost } = await import("./runtime/tools/custom/host/run_host.ts");
    Deno.exit(await runHost(role, { input: Deno.stdin.readable, output: Deno.stdout.writable }));
  } else if (Deno.args.length === 1 && /^(-V|--version)$/.test(Deno.args[0] ?? "")) {
    // Asked for by scripts, over and over: answered before anything is loaded.
    console.log(version);
  } else {
    if (isExporting) (await import("./runtime/telemetry/sole_tracer.ts")).dropOtherSpans();
    const [app, { runCli }] = await Promise.all([compose(), import("./cli/mod.ts")]);
    Deno.exit(await runCli(Deno.args, app));
  }
}
