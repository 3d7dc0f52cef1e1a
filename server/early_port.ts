// Opens the TCP port of a service before its runtime, so that the process reports its health from the first moment.
import type { Config } from "../runtime/config/config.ts";
import type { Context } from "../runtime/config/context.ts";
import type { Handler } from "./listeners/listener.ts";
import {
  DEFAULT_TCP_HOST,
  listenOnTcp,
  requireUsableKey,
  type TcpListener,
  type TcpOptions,
} from "./listeners/tcp_port.ts";
import { createHostCheck, type HostRules } from "./middleware/host_check.ts";

/**
 * The open TCP port of a service. Until handOver(), it answers GET /health, and every other request waits. Disposal closes
 * the port if handOver() was never called.
 */
export class EarlyPort implements AsyncDisposable {
  readonly listener: TcpListener;
  /** The hosts and origins whose requests the port accepts. */
  readonly rules: HostRules;
  readonly #findRefusal: ReturnType<typeof createHostCheck>;
  #handler: Handler | undefined;
  readonly #handedOver = Promise.withResolvers<Handler>();

  /** Opens the port. Throws ApiKeyUnusable and PortUnavailable. */
  constructor(
    tcp: TcpOptions,
    { config: { http, publicUrl }, clock, log }: Pick<Context, "clock" | "log"> & {
      config: Pick<Config, "http" | "publicUrl">;
    },
  ) {
    requireUsableKey(tcp);
    // Allow the public address: a reverse proxy forwards its own host name, and the browser sends its origin.
    const outside = publicUrl === null ? [] : [new URL(publicUrl)];
    this.rules = {
      hosts: [tcp.host ?? DEFAULT_TCP_HOST, ...http.hosts, ...outside.map(({ host }) => host)],
      origins: [...http.origins, ...outside.map(({ origin }) => origin)],
    };
    this.#findRefusal = createHostCheck(this.rules);
    this.listener = listenOnTcp(tcp, {
      clock,
      log,
      handler: (request, from) =>
        this.#handler?.(request, from) ?? this.#respondEarly(request, from),
    });
  }

  /** Passes all requests to `handler` from now on, beginning with the waiting requests. */
  handOver(handler: Handler): void {
    this.#handler = handler;
    this.#handedOver.resolve(handler);
  }

  async #respondEarly(request: Request, from: Parameters<Handler>[1]): Promise<Response> {
    const isHealthCheck = request.method === "GET" &&
      /^https?:\/\/[^/]+\/health$/.test(request.url);
    if (isHealthCheck && this.#findRefusal(request) === undefined) {
      return Response.json({ status: "ok" });
    }
    return await (await this.#handedOver.promise)(request, from);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#handler !== undefined) return;
    this.handOver(() => Response.json({ detail: "The service could not start" }, { status: 503 }));
    await this.listener.close();
  }
}
