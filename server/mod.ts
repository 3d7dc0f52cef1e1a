// The service: opens the listeners over one application, and takes everything down in order when it is time.
import type { Hono } from "hono";
import { firstOf } from "../base/first_of.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { SECOND_MS } from "../base/time_units.ts";
import { createAnswers } from "./answers/answers.ts";
import { createApp } from "./app.ts";
import { toErrorResponse } from "../api/errors.ts";
import type { ConnectionPorts } from "./listeners/connections.ts";
import { Lifecycle, type StopReason } from "../api/lifecycle.ts";
import type { Handler, Listener } from "./listeners/listener.ts";
import { isDelivery, warnOfDeafWebhooks } from "./routes/hooks.ts";
import { createLogin } from "./login/login.ts";
import { apiKey, RefusedKeys } from "./middleware/api_key.ts";
import { hostCheck } from "./middleware/host_check.ts";
import type { Services } from "../api/operations/operation.ts";
import {
  DEFAULT_TCP_HOST,
  listenOnTcp,
  requireUsableKey,
  type TcpListener,
  type TcpOptions,
} from "./listeners/tcp_port.ts";
import { listenOnSocket } from "./listeners/unix_socket.ts";
import { createSecretMatch } from "./secret_text.ts";
import { warmUp } from "./warm_up.ts";

export type { StopReason } from "../api/lifecycle.ts";
export { ApiKeyUnusable, PortUnavailable, type TcpOptions } from "./listeners/tcp_port.ts";
export { toWireEvent } from "../api/streams/service_events.ts";
export { SocketUnavailable } from "./listeners/unix_socket.ts";

/** How long running executions may continue after the stop was requested. */
const RUN_GRACE_MS = 8 * SECOND_MS;
/** How long requests in flight and streams may take to end after that. */
const CLOSE_GRACE_MS = 2 * SECOND_MS;

/** How the service runs. */
export interface ServeOptions {
  /** Never stop because there is nothing to do. */
  keepAlive?: boolean;
  /** Milliseconds with nothing to do after which the service stops; five minutes unless given. */
  idleTimeoutMs?: number;
  /** Also listens on TCP. A waiting execution then keeps the service alive. */
  tcp?: TcpOptions;
}

/** A service that listens. */
export interface Service {
  /** Where it listens: `unix:/path`, `tcp://host:port`. */
  readonly transports: readonly string[];
  /** The TCP ports it occupies, which its own agents must not reach. */
  readonly ports: readonly number[];
  /** Resolves when nothing listens any more, with the reason. The runtime is stopped but not yet disposed. */
  readonly finished: Promise<StopReason>;
  /** Asks it to stop; resolves with `finished`. Where it is stopping already, running executions get no more time. */
  shutdown(reason: StopReason): Promise<StopReason>;
}

/**
 * Serves a runtime on its Unix socket, and on TCP where asked, until a request, a signal (which the caller passes on
 * through `shutdown`) or idleness ends it. Throws SocketUnavailable, PortUnavailable and ApiKeyUnusable; nothing
 * listens then. The caller disposes the runtime after `finished`.
 */
export async function serve(runtime: Runtime, options: ServeOptions = {}): Promise<Service> {
  const { keepAlive = false, idleTimeoutMs, tcp } = options;
  if (tcp !== undefined) requireUsableKey(tcp);
  const lifecycle = new Lifecycle({
    runtime,
    keepAlive,
    serviceMode: keepAlive || tcp !== undefined,
    hasPort: tcp !== undefined,
    ...(idleTimeoutMs !== undefined && { idleTimeoutMs }),
  });
  // Before anybody is answered: from then on, a database that is away ends nothing.
  const stopWarning = tcp === undefined ? await warnOfDeafWebhooks(runtime) : () => {};
  const listeners: Listener[] = [];
  const transports = () => listeners.map(({ address }) => address);
  const services: Services = { runtime, lifecycle, transports };
  const { socketFile } = runtime.directories;
  const socket = await listenOnSocket(socketFile, {
    ...connectionPorts(runtime),
    handler: toHandler(createApp(services), runtime),
  });
  listeners.push(socket);
  const ports: number[] = [];
  if (tcp !== undefined) {
    try {
      const listener = openTcp(services, tcp);
      listeners.push(listener);
      ports.push(listener.port);
    } catch (error) {
      await socket.close();
      throw error;
    }
  }
  if (tcp === undefined && runtime.config.publicUrl !== null) {
    const message =
      "Links in messages lead nowhere: public_url is set, and the service has no TCP port";
    runtime.log.write("warn", message, { hint: "set service.port in config.yaml" });
  }
  runtime.log.write("info", "Listening", { on: transports().join(", ") });
  const finished = finish(runtime, lifecycle, listeners).finally(stopWarning);
  return {
    transports: transports(),
    ports,
    finished,
    shutdown(reason) {
      if (lifecycle.stopping !== null) hurry(runtime);
      lifecycle.requestStop(reason);
      return finished;
    },
  };
}

/** The same application with the checks that a port needs and a socket file does not. */
function openTcp(services: Services, tcp: TcpOptions): TcpListener {
  const { runtime } = services;
  const { http: { hosts, origins }, publicUrl } = runtime.config;
  // What stands before the port passes on its own name, and its pages have its origin.
  const outside = publicUrl === null ? [] : [new URL(publicUrl)];
  const answers = createAnswers(runtime);
  const isKey = createSecretMatch(tcp.apiKey);
  const refused = new RefusedKeys(runtime.log);
  const login = createLogin({ isKey, refused, clock: runtime.clock, port: tcp.port });
  const app = createApp(services, {
    via: "tcp",
    takesDeliveries: true,
    isLoggedIn: login.isLoggedIn,
    guards: [
      apiKey({
        isKey,
        refused,
        // A delivery has a signature instead, an answer its link.
        admits: (request) =>
          isDelivery(request, runtime) || answers.admits(request) || login.admits(request),
        explain: login.explain,
      }),
      login.explainRefusals,
      hostCheck({
        hosts: [tcp.host ?? DEFAULT_TCP_HOST, ...hosts, ...outside.map(({ host }) => host)],
        origins: [...origins, ...outside.map(({ origin }) => origin)],
        isFollowed: answers.isFollowed,
      }),
      answers.respond,
      login.respond,
    ],
  });
  return listenOnTcp(tcp, { ...connectionPorts(runtime), handler: toHandler(app, runtime) });
}

function connectionPorts({ clock, log }: Runtime): ConnectionPorts {
  return { clock, log };
}

function toHandler(app: Hono, runtime: Runtime): Handler {
  return async (request) => {
    try {
      return await app.fetch(request);
    } catch (error) {
      return toErrorResponse(error, runtime.log);
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

/** Ends the grace of a stop under way. */
function hurry(runtime: Runtime): void {
  runtime.log.write("info", "Asked to stop again: running executions are ended now");
  // What fails here fails in the stop under way, which reports it.
  runtime.stop({ graceMs: 0 }).catch(() => {});
}

/** Closes one listener. A client that stopped reading would hold it for ever: after the grace its connection is broken. */
async function close(listener: Listener, runtime: Runtime): Promise<void> {
  const { address } = listener;
  const within = { clock: runtime.clock, ms: CLOSE_GRACE_MS };
  const closing = await firstOf(listener.close(), { within });
  if (closing.kind === "done") return;
  runtime.log.write("warn", "Breaking connections that do not end", { on: address });
  listener.cut();
}
