// Runs the service: opens the listeners of the application, and stops everything in order.
import type { Hono } from "hono";
import { firstOf } from "../base/first_of.ts";
import type { Runtime } from "../runtime/interface/runtime.ts";
import type { ServiceManager } from "../runtime/vocabulary/service_managers.ts";
import { SECOND_MS } from "../base/time_units.ts";
import { createAnswers } from "./answers/answers.ts";
import { type AppServices, createApp } from "./app.ts";
import { toErrorResponse } from "../api/errors.ts";
import { Lifecycle, type StopReason } from "../api/streams/lifecycle.ts";
import type { Handler, Listener } from "./listeners/listener.ts";
import { opensSignInCallback } from "../runtime/vocabulary/sign_in_paths.ts";
import { isDelivery, warnOfUnreachableWebhooks } from "./routes/hooks.ts";
import { hostCheck } from "./middleware/host_check.ts";
import { EarlyPort } from "./early_port.ts";
import type { AppEnv } from "./middleware/caller.ts";
import type { Caller } from "../runtime/vocabulary/callers.ts";
import { createLogin } from "./login/login.ts";
import { createOpenId } from "./openid/openid_port.ts";
import { createFindKey } from "./login/key_owners.ts";
import { apiKey, RefusedKeys } from "./middleware/api_key.ts";
import { type TcpListener, type TcpOptions } from "./listeners/tcp_port.ts";
import { listenOnSocket } from "./listeners/unix_socket.ts";
import { warmUp } from "../api/routes/operations.ts";

export type { StopReason } from "../api/streams/lifecycle.ts";
export { ApiKeyUnusable, PortUnavailable, type TcpOptions } from "./listeners/tcp_port.ts";
export { toWireEvent } from "../api/streams/service_events.ts";
export { SocketUnavailable } from "./listeners/unix_socket.ts";

/** The milliseconds that running executions get after a stop request. */
const RUN_GRACE_MS = 8 * SECOND_MS;
/** The milliseconds that requests in flight and streams get after the executions. */
const CLOSE_GRACE_MS = 2 * SECOND_MS;

/** The options of a service. */
export interface ServeOptions {
  /** True if the service never stops when idle. */
  keepAlive?: boolean;
  /** Idle milliseconds after which the service stops. Default: five minutes. */
  idleTimeoutMs?: number;
  /** The program that started the service and restarts it. */
  manager?: ServiceManager | undefined;
  /**
   * The TCP listener; absent: the service listens only on the Unix socket. With TCP, a waiting execution keeps the service
   * alive.
   */
  tcp?: TcpOptions;
  /** The name of the account that runs the service. */
  account?: string | undefined;
  /** Returns the value of an environment variable. Absent: none is set. */
  lookup?: (name: string) => string | undefined;
  /** The port of `tcp`, if it is already open. */
  port?: EarlyPort | undefined;
}

/** A running service. */
export interface Service {
  /** The addresses of the listeners: `unix:/path`, `tcp://host:port`. */
  readonly transports: readonly string[];
  /** The TCP ports of the service. The agents of the service must not reach these ports. */
  readonly ports: readonly number[];
  /** Resolves with the reason once every listener is closed. The runtime is then stopped but not disposed. */
  readonly finished: Promise<StopReason>;
  /** Stops the service and resolves with `finished`. A second call ends the grace period of running executions. */
  shutdown(reason: StopReason): Promise<StopReason>;
}

/**
 * Serves a runtime on its Unix socket, and on TCP if requested. The service stops on a request, on `shutdown()` or when it
 * is idle. The caller disposes the runtime after `finished`. If serve() throws SocketUnavailable, PortUnavailable or
 * ApiKeyUnusable, no listener stays open.
 */
export async function serve(runtime: Runtime, options: ServeOptions = {}): Promise<Service> {
  const { keepAlive = false, idleTimeoutMs, tcp, manager, account } = options;
  const lifecycle = new Lifecycle({
    runtime,
    keepAlive,
    hasPort: tcp !== undefined,
    manager,
    ...(idleTimeoutMs !== undefined && { idleTimeoutMs }),
  });
  // Read the webhooks before the first request, because the read needs the database: an unreachable database must prevent
  // the start, but not stop a running service.
  const stopWarning = tcp === undefined ? await warnOfUnreachableWebhooks(runtime) : () => {};
  const listeners: Listener[] = [];
  const transports = () => listeners.map(({ address }) => address);
  const services = { runtime, lifecycle, transports };
  const { clock, directories: { socketFile }, log } = runtime;
  const local: AppServices = {
    ...services,
    isLocal: true,
    // Read the name at each request, because config.yaml may change.
    get caller(): Caller {
      const name = runtime.config.service.owner ?? account;
      return { via: "api", ...(name !== undefined && { name }) };
    },
  };
  const handler = toHandler(createApp(local), runtime);
  const socket = await listenOnSocket(socketFile, { clock, log, handler });
  listeners.push(socket);
  const ports: number[] = [];
  if (tcp !== undefined) {
    try {
      const listener = openTcp(services, tcp, options);
      listeners.push(listener);
      ports.push(listener.port);
    } catch (error) {
      await socket.close();
      throw error;
    }
  }
  if (tcp === undefined && runtime.config.publicUrl !== null) {
    const message =
      "Links in messages cannot be opened: public_url is set, but the service has no TCP port";
    runtime.log.write("warn", message, { hint: "set service.port in config.yaml" });
  }
  runtime.log.write("info", "Listening", { on: transports().join(", ") });
  const finished = finish(runtime, lifecycle, listeners).finally(stopWarning);
  return {
    transports: transports(),
    ports,
    finished,
    shutdown(reason) {
      if (lifecycle.stopping !== null) endGrace(runtime);
      lifecycle.requestStop(reason);
      return finished;
    },
  };
}

/** Serves the same application on the TCP port, behind checks that the Unix socket does not need. */
function openTcp(
  services: AppServices,
  tcp: TcpOptions,
  options: Pick<ServeOptions, "port" | "lookup">,
): TcpListener {
  const { runtime } = services;
  const { port = new EarlyPort(tcp, runtime), lookup = () => undefined } = options;
  const answers = createAnswers(runtime);
  const findKey = createFindKey(tcp.apiKey, runtime);
  const refused = new RefusedKeys(runtime.log);
  const signedIn = (caller: Caller) => runtime.audit.record("sign_in", caller);
  const openId = createOpenId({
    ...{ runtime, lookup, signedIn },
    startLogin: (one) => login.start(one),
  });
  const login = createLogin({
    ...{ findKey, refused, signedIn, clock: runtime.clock, port: tcp.port },
    signedOut: (caller) => runtime.audit.record("sign_out", caller),
    findLink: openId.findLink,
  });
  const app = createApp(services, {
    via: "tcp",
    takesDeliveries: true,
    isLoggedIn: login.isLoggedIn,
    guards: [
      apiKey({
        findKey,
        refused,
        clock: runtime.clock,
        // A delivery needs no key because it has a signature. An answer link needs no key because it contains a secret.
        isOpen: (request) =>
          isDelivery(request, runtime) || answers.admits(request) || openId.admits(request),
        findLogin: login.find,
        tokens: openId.tokens,
        explain: login.explain,
      }),
      login.explainRefusals,
      hostCheck({
        ...port.rules,
        isFollowed: (request) =>
          answers.isFollowed(request) || opensSignInCallback(request) ||
          openId.isFollowed(request),
      }),
      answers.respond,
      openId.respond,
      login.respond,
    ],
  });
  port.handOver(toHandler(app, runtime));
  return port.listener;
}

function toHandler(app: Hono<AppEnv>, runtime: Runtime): Handler {
  return async (request, from) => {
    try {
      return await app.fetch(request, from);
    } catch (error) {
      return toErrorResponse(error, runtime);
    }
  };
}

async function finish(
  runtime: Runtime,
  lifecycle: Lifecycle,
  listeners: readonly Listener[],
): Promise<StopReason> {
  const idle = lifecycle.watchIdle();
  const stopping = new AbortController();
  const warm = warmUp(runtime, stopping.signal);
  const reason = await lifecycle.stopRequested;
  stopping.abort();
  await Promise.all([idle, warm]);
  runtime.log.write("info", "Stopping", { reason });
  try {
    await runtime.stop({ graceMs: RUN_GRACE_MS });
  } finally {
    lifecycle.endStreams();
    await Promise.all(listeners.map((listener) => close(listener, runtime)));
  }
  return reason;
}

/** Ends the grace period of running executions. */
function endGrace(runtime: Runtime): void {
  runtime.log.write("info", "Second stop request: ending the running executions now");
  // Ignore the error, because the stop in progress reports the same error.
  runtime.stop({ graceMs: 0 }).catch(() => {});
}

/** Closes a listener. After the grace period, breaks the open connections, because a client may never read its response. */
async function close(listener: Listener, runtime: Runtime): Promise<void> {
  const { address } = listener;
  const within = { clock: runtime.clock, ms: CLOSE_GRACE_MS };
  const closing = await firstOf(listener.close(), { within });
  if (closing.kind === "done") return;
  runtime.log.write("warn", "Closing connections that did not end in time", { on: address });
  listener.abort();
}
