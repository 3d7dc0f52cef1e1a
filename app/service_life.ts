// Runs the service in this process, from locking its state folder to the last line of its log.
import type { ServeOptions, StopReason } from "../cli/context/app.ts";
import type { Chats } from "./chats.ts";
import { untilAborted } from "../base/bounded_wait.ts";
import { SystemClock } from "../base/clock.ts";
import type { Runtime } from "../runtime/interface/runtime.ts";
import { findServiceManager } from "../runtime/vocabulary/service_managers.ts";
import { parseIdleTimeout, parseLogLevel } from "./service_variables.ts";
import { logUnhandledRejections, openLogFile } from "../runtime/service_log/log_file.ts";
import { lockStateDirs } from "../runtime/storage/state_dir/instance_lock.ts";
import { EarlyPort } from "../server/early_port.ts";
import { loadSettings } from "./settings.ts";
import { openTelemetry } from "./telemetry.ts";

/** Serves a workspace until something stops the service, and returns the reason. Rejects if the service cannot start. */
export async function liveAsService(
  options: ServeOptions,
  { version }: { version: string },
): Promise<StopReason> {
  const idleTimeoutMs = parseIdleTimeout(Deno.env.get("INKLING_IDLE_TIMEOUT"));
  const level = parseLogLevel(Deno.env.get("INKLING_LOG_LEVEL"));
  const settings = await loadSettings(options.workspace);
  const { logFile, workspace } = settings.directories;
  // Handle signals from here on, before anything needs cleanup, so that the service always stops in order.
  using asked = hearStop();
  const clock = new SystemClock();
  // Take the locks before opening the log and the port, so that a second service of a workspace reports the running service,
  // not a port in use.
  using _locks = await lockStateDirs(settings.directories);
  using log = openLogFile(logFile, { clock, level, onLine: options.onLogLine });
  await using port = options.tcp && new EarlyPort(options.tcp, { ...settings, clock, log });
  // Load the rest while the port already answers health checks.
  const [{ openRuntime }, { serve, toWireEvent }] = await Promise.all([
    import("../runtime/mod.ts"),
    import("../server/mod.ts"),
  ]);
  const opened = Promise.withResolvers<Runtime>();
  let chats: Promise<Chats> | undefined;
  const openChats = () =>
    chats ??=
      (async () => new (await import("./chats.ts")).Chats(await opened.promise, settings))();
  // A service without chats loads nothing for them.
  const updateChats = async () => {
    const { config } = await opened.promise;
    if (chats !== undefined || config.chats.length > 0) await (await openChats()).update();
  };
  await using runtime = await openRuntime({
    settings,
    version,
    log,
    mode: "service",
    isLocked: true,
    clock,
    openChat: (chat) => ({
      send: async (message, signal) =>
        await (await untilAborted(openChats(), signal)).post(chat, message, signal),
    }),
    onConfigChange: () => void updateChats(),
    ownPorts: () => port === undefined ? [] : [port.listener.port],
    authoring: async () =>
      (await import("../ops/authoring/editor_support.ts")).openAuthoring(settings),
    ...await openTelemetry({ version, clock, log }),
  });
  using _strays = logUnhandledRejections(runtime.log);
  if (asked.stop.aborted) return "signal";
  // Read the agents before the first request: an unreachable database must prevent the start, but does not end a running
  // service.
  const agents = (await runtime.listAgents()).length;
  const service = await serve(runtime, {
    keepAlive: options.keepAlive,
    lookup: (name) => settings.environment.get(name),
    account: settings.shell["USER"] ?? settings.shell["LOGNAME"],
    manager: findServiceManager((name) => Deno.env.get(name), Deno),
    ...(options.tcp === undefined ? {} : { tcp: options.tcp, port }),
    ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
  });
  opened.resolve(runtime);
  await updateChats();
  runtime.events.subscribe((event) => options.onEvent?.(toWireEvent(event)));
  // Ignore the error, because `finished` below rejects with the same error.
  const shutdown = () => void service.shutdown("signal").catch(() => {});
  asked.stop.addEventListener("abort", shutdown);
  if (asked.stop.aborted) shutdown();
  options.onReady({
    pid: Deno.pid,
    workspace,
    logFile,
    agents,
    brokenFiles: runtime.brokenAgentFiles().filter(({ diagnostics }) =>
      diagnostics.some(({ severity }) =>
        severity === "error"
      )
    ).length,
    transports: service.transports,
  });
  try {
    return await service.finished;
  } finally {
    await (await chats)?.[Symbol.asyncDispose]();
  }
}

const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Returns an abort signal that the first stop signal of the process aborts. A second stop signal ends the process. */
function hearStop(): { stop: AbortSignal } & Disposable {
  const stop = new AbortController();
  const onSignal = () => {
    // The second signal ends the process without the grace period of executions.
    if (stop.signal.aborted) Deno.exit(130);
    stop.abort();
  };
  for (const name of STOP_SIGNALS) Deno.addSignalListener(name, onSignal);
  return {
    stop: stop.signal,
    [Symbol.dispose]() {
      for (const name of STOP_SIGNALS) Deno.removeSignalListener(name, onSignal);
    },
  };
}
