// The way out of the sandbox: an HTTP proxy on a Unix socket, through which each program reaches the hosts that it may.
//
// Decision: a proxy of our own, because what matters of it is which host and which address a connection goes to (rejected:
// proxy-chain 2, which is built on node:http, looks names up itself, and listens on TCP, where any program of the machine
// could use it).
import { ifThere } from "../../../base/files/missing.ts";
import type { ProxyRoute } from "../../sandbox/sandbox_rules.ts";
import { type ResolveHost, resolveHostBySystem } from "./host_lookup.ts";
import { type HttpPolicy, normaliseHost, refuseAddress, refuseHost } from "./http_policy.ts";
import { classifyAddress } from "./ip_address.ts";
import { isNetOpen, mayConnect } from "./net_permission.ts";
import { answerHead, type ProxyRequest, readProxyRequest } from "./proxy_request.ts";

/** Of one program at once: a connection takes two of the service's descriptors. */
const MAX_CONNECTIONS = 100;
const BUFFER_BYTES = 64 * 1024;

/** What a proxy is made of. */
export interface ForwardProxyOptions {
  /** Absolute. */
  socketFile: string;
  /** TCP ports of the service itself, which no program reaches. */
  ownPorts(): readonly number[];
  /** See HttpPolicy. */
  ownAddresses?(): readonly string[];
  resolveHost?: ResolveHost;
}

/** What one program may reach, until it is closed. */
export interface ProxyGrant {
  route: ProxyRoute;
  /** Closes its connections, too. */
  close(): void;
}

interface Guest {
  hosts: readonly string[];
  onRefused(host: string): void;
  connections: Set<Deno.Conn>;
}

/** Listens from the first program that is admitted on. */
export class ForwardProxy implements Disposable {
  readonly #options: ForwardProxyOptions;
  /** By the password that each was given. */
  readonly #guests = new Map<string, Guest>();
  /** Connections that have not said yet whose they are, oldest first. */
  readonly #unnamed = new Set<Deno.Conn>();
  #listener: Deno.UnixListener | undefined;

  constructor(options: ForwardProxyOptions) {
    this.#options = options;
  }

  /**
   * Lets a program reach `hosts`: names and addresses, each for all ports or with one (`name:port`), `*.name` for all below a
   * name. `onRefused` hears of each other host that it asks for, with the port where that is unusual. Throws what Deno throws
   * when the socket cannot be made.
   */
  admit(hosts: readonly string[], onRefused: (host: string) => void): ProxyGrant {
    this.#listener ??= this.#listen();
    const password = crypto.randomUUID();
    const guest: Guest = { hosts, onRefused, connections: new Set() };
    this.#guests.set(password, guest);
    return {
      route: { socketFile: this.#options.socketFile, credentials: `sandbox:${password}` },
      close: () => {
        this.#guests.delete(password);
        for (const one of guest.connections) closeQuietly(one);
      },
    };
  }

  [Symbol.dispose](): void {
    if (this.#listener === undefined) return;
    this.#listener.close();
    this.#listener = undefined;
    ifThere(() => Deno.removeSync(this.#options.socketFile));
    const named = [...this.#guests.values()].flatMap(({ connections }) => [...connections]);
    for (const one of [...this.#unnamed, ...named]) closeQuietly(one);
  }

  #listen(): Deno.UnixListener {
    const { socketFile: path } = this.#options;
    // What a service left that was killed.
    ifThere(() => Deno.removeSync(path));
    const listener = Deno.listen({ transport: "unix", path });
    Deno.chmodSync(path, 0o600);
    void this.#acceptAll(listener);
    return listener;
  }

  async #acceptAll(listener: Deno.UnixListener): Promise<void> {
    // Ends when the listener is closed.
    for await (const connection of listener) {
      void this.#serve(connection).catch(() => {/* One side went away: that ends both. */}).finally(
        () => closeQuietly(connection),
      );
    }
  }

  async #serve(connection: Deno.Conn): Promise<void> {
    this.#unnamed.add(connection);
    const [oldest] = this.#unnamed;
    if (this.#unnamed.size > MAX_CONNECTIONS && oldest !== undefined) closeQuietly(oldest);
    const request = await readProxyRequest(connection).finally(
      () => this.#unnamed.delete(connection),
    );
    if (request === undefined) return await answer(connection, 400, "This is a proxy for HTTP.");
    const guest = this.#guests.get(request.password);
    if (guest === undefined) return await answer(connection, 407, "Unknown user or password.");
    if (guest.connections.size >= 2 * MAX_CONNECTIONS) {
      return await answer(connection, 503, `No more than ${MAX_CONNECTIONS} connections at once.`);
    }
    const refusal = this.#refuse(guest, request);
    if (refusal !== undefined) return await answer(connection, 403, refusal);
    let far: Deno.Conn;
    try {
      far = await this.#connect(guest, request);
    } catch (error) {
      const [status, problem] = error instanceof AddressRefused
        ? [403, error.message] as const
        : [502, `${request.hostname} cannot be reached.`] as const;
      return await answer(connection, status, problem);
    }
    const both = [connection, far];
    for (const one of both) guest.connections.add(one);
    try {
      if (request.toFarSide === undefined) await writeAll(connection, answerHead(200));
      else await writeAll(far, request.toFarSide);
      await writeAll(far, request.rest);
      await Promise.all([
        pump(connection, far).catch(() => both.forEach(closeQuietly)),
        pump(far, connection).catch(() => both.forEach(closeQuietly)),
      ]);
    } finally {
      for (const one of both) guest.connections.delete(one);
      closeQuietly(far);
    }
  }

  #refuse(guest: Guest, { hostname, port }: ProxyRequest): string | undefined {
    if (guest.hosts.some((declared) => names(declared, hostname, port))) {
      return refuseHost(this.#policy(hostname), hostname);
    }
    const host = port === 443 || port === 80 ? hostname : `${hostname}:${port}`;
    guest.onRefused(host);
    return `${host} is not among the hosts that this program may reach.`;
  }

  /** A person named the host, so it may be on a network of theirs; on this machine only if its name says so. */
  #policy(hostname: string): HttpPolicy {
    const { ownPorts, ownAddresses } = this.#options;
    return {
      allow: isLoopbackName(hostname) ? [hostname] : [],
      deny: [],
      ownPorts,
      ...(ownAddresses === undefined ? {} : { ownAddresses }),
    };
  }

  /** Each address is held against the rules, and the connection goes to one of these. Throws AddressRefused. */
  async #connect(guest: Guest, { hostname, port }: ProxyRequest): Promise<Deno.Conn> {
    const check = (address: string) => {
      const policy = this.#policy(hostname);
      const isOwnMachine = classifyAddress(normaliseHost(address)) === "loopback";
      const refusal = refuseAddress(policy, { host: hostname, address, port }) ??
        (isOwnMachine && !isLoopbackName(hostname) && !guest.hosts.includes(address)
          ? "it is an address of this machine"
          : undefined);
      if (refusal !== undefined) throw new AddressRefused(`${hostname} is closed: ${refusal}.`);
    };
    const { resolveHost = resolveHostBySystem } = this.#options;
    const name = normaliseHost(hostname);
    const addresses = classifyAddress(name) === undefined
      ? (await resolveHost(name)).map(({ address }) => address)
      : [name];
    addresses.forEach(check);
    // Where a network has no IPv6, a connection by it may wait for minutes.
    addresses.sort((a, b) => Number(a.includes(":")) - Number(b.includes(":")));
    // Where Deno's flags allow some names only, an address that we looked up for one of them would be refused.
    if (!isNetOpen()) {
      if (!mayConnect(hostname, port)) throw new AddressRefused(`${hostname}: ${FLAGS}`);
      const connection = await Deno.connect({ hostname: name, port });
      try {
        check(connection.remoteAddr.hostname);
        return connection;
      } catch (error) {
        connection.close();
        throw error;
      }
    }
    let failure: unknown = new Error("the name has no address");
    for (const address of addresses) {
      try {
        return await Deno.connect({ hostname: address, port });
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }
}

const FLAGS = "the service was started without permission for this host";

/** The host, or where it leads, is closed whatever was declared. */
class AddressRefused extends Error {
  override readonly name = "AddressRefused";
}

function names(declared: string, hostname: string, port: number): boolean {
  const [, host = "", onlyPort] =
    /^(.*?)(?::(\d+))?$/.exec(isBareIpv6(declared) ? `[${declared}]` : declared) ?? [];
  if (onlyPort !== undefined && Number(onlyPort) !== port) return false;
  const name = normaliseHost(hostname);
  return host.startsWith("*.")
    ? name.endsWith(normaliseHost(host.slice(1)))
    : name === normaliseHost(host);
}

function isBareIpv6(text: string): boolean {
  return !text.startsWith("[") && text.split(":").length > 2;
}

function isLoopbackName(hostname: string): boolean {
  const name = normaliseHost(hostname);
  return name === "localhost" || name.endsWith(".localhost") ||
    classifyAddress(name) === "loopback";
}

async function answer(connection: Deno.Conn, status: number, text: string): Promise<void> {
  await writeAll(connection, answerHead(status, `${text}\n`));
}

/** Until `from` has ended. */
async function pump(from: Deno.Conn, to: Deno.Conn): Promise<void> {
  const buffer = new Uint8Array(BUFFER_BYTES);
  for (;;) {
    const count = await from.read(buffer);
    if (count === null) break;
    await writeAll(to, buffer.subarray(0, count));
  }
  await to.closeWrite();
}

async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

function closeQuietly(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch (error) {
    // It was closed before.
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}
