// Implements the HTTP proxy on a Unix socket through which sandboxed programs reach their permitted hosts.
//
// Decision: Inkling has its own proxy, because the proxy must control the host and the address of every connection
// (rejected: proxy-chain 2, which is built on node:http, resolves names itself, and listens on TCP, where any program of
// the machine could use it).
import { ifThere } from "../../../base/files/missing.ts";
import type { ProxyRoute } from "../../sandbox/sandbox_rules.ts";
import { type ResolveHost, resolveHostBySystem } from "./host_lookup.ts";
import { type HttpPolicy, normalizeHost, refuseAddress, refuseHost } from "./http_policy.ts";
import { classifyAddress } from "./ip_address.ts";
import { isNetUnrestricted, mayConnect } from "./net_permission.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import { answerHead, type ProxyRequest, readProxyRequest } from "./proxy_request.ts";

/** The maximum number of connections of one program. Each needs two descriptors of the service. */
const MAX_CONNECTIONS = 100;
const BUFFER_BYTES = 64 * 1024;

/** The options of ForwardProxy. */
export interface ForwardProxyOptions {
  /** The absolute path of the proxy's socket. */
  socketFile: string;
  /** Returns the service's own TCP ports, which no program may reach. */
  ownPorts(): readonly number[];
  resolveHost?: ResolveHost;
}

/** The network access of one program. It lasts until `close` is called. */
export interface ProxyGrant {
  route: ProxyRoute;
  /** Ends the program's access and closes its connections. */
  close(): void;
}

interface Client {
  hosts: readonly string[];
  onRefused(host: string): void;
  connections: Set<Deno.Conn>;
}

/** The proxy for all sandboxed programs. It starts to listen when the first program is admitted. */
export class ForwardProxy implements Disposable {
  readonly #options: ForwardProxyOptions;
  /** The admitted programs, each by the password in its proxy address. */
  readonly #clients = new Map<string, Client>();
  /** The connections that have not sent a password yet, oldest first. */
  readonly #unnamed = new Set<Deno.Conn>();
  #listener: Deno.UnixListener | undefined;

  constructor(options: ForwardProxyOptions) {
    this.#options = options;
  }

  /**
   * Gives a program access to `hosts`. A host is a name or address, `*.name` for all subdomains, or `name:port` for one
   * port only. Calls `onRefused` with each other host that the program requests; the port is included unless it is 80 or
   * 443. Throws Deno's error if the socket cannot be created.
   */
  admit(hosts: readonly string[], onRefused: (host: string) => void): ProxyGrant {
    this.#listener ??= this.#listen();
    const password = crypto.randomUUID();
    const guest: Client = { hosts, onRefused, connections: new Set() };
    this.#clients.set(password, guest);
    return {
      route: { socketFile: this.#options.socketFile, credentials: `sandbox:${password}` },
      close: () => {
        this.#clients.delete(password);
        for (const one of guest.connections) closeQuietly(one);
      },
    };
  }

  [Symbol.dispose](): void {
    if (this.#listener === undefined) return;
    this.#listener.close();
    this.#listener = undefined;
    ifThere(() => Deno.removeSync(this.#options.socketFile));
    const named = [...this.#clients.values()].flatMap(({ connections }) => [...connections]);
    for (const one of [...this.#unnamed, ...named]) closeQuietly(one);
  }

  #listen(): Deno.UnixListener {
    const { socketFile: path } = this.#options;
    // Removes the socket file of a service that was killed.
    ifThere(() => Deno.removeSync(path));
    const listener = Deno.listen({ transport: "unix", path });
    Deno.chmodSync(path, 0o600);
    void this.#acceptAll(listener);
    return listener;
  }

  async #acceptAll(listener: Deno.UnixListener): Promise<void> {
    // The loop ends when the listener is closed.
    for await (const connection of listener) {
      void this.#serve(connection).catch(
        () => {/* One side closed the connection, which ends both. */},
      ).finally(
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
    const guest = this.#clients.get(request.password);
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
      const [status, problem] = error instanceof ToolFailure
        ? [403, error.message] as const
        : [502, `${request.hostname} cannot be reached.`] as const;
      return await answer(connection, status, problem);
    }
    const both = [connection, far];
    for (const one of both) guest.connections.add(one);
    try {
      if (request.forwardedHead === undefined) await writeAll(connection, answerHead(200));
      else await writeAll(far, request.forwardedHead);
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

  #refuse(guest: Client, { hostname, port }: ProxyRequest): string | undefined {
    if (guest.hosts.some((declared) => names(declared, hostname, port))) {
      return refuseHost(this.#policy(hostname), hostname);
    }
    const host = port === 443 || port === 80 ? hostname : `${hostname}:${port}`;
    guest.onRefused(host);
    return `${host} is not among the hosts that this program may reach.`;
  }

  /**
   * Returns the policy for a declared host. A person declared it, so it may be in a private network. Loopback addresses are
   * allowed only for a loopback name.
   */
  #policy(hostname: string): HttpPolicy {
    const { ownPorts } = this.#options;
    return { allow: isLoopbackName(hostname) ? [hostname] : [], deny: [], ownPorts };
  }

  /** Checks every address of the host, then connects to one of them. Throws ToolFailure for a forbidden address. */
  async #connect(guest: Client, { hostname, port }: ProxyRequest): Promise<Deno.Conn> {
    const check = (address: string) => {
      const policy = this.#policy(hostname);
      const isOwnMachine = classifyAddress(normalizeHost(address)) === "loopback";
      const refusal = refuseAddress(policy, { host: hostname, address, port }) ??
        (isOwnMachine && !isLoopbackName(hostname) && !guest.hosts.includes(address)
          ? "it is an address of this machine"
          : undefined);
      if (refusal !== undefined) throw new ToolFailure(`${hostname} is closed: ${refusal}.`);
    };
    const { resolveHost = resolveHostBySystem } = this.#options;
    const name = normalizeHost(hostname);
    const addresses = classifyAddress(name) === undefined
      ? (await resolveHost(name)).map(({ address }) => address)
      : [name];
    addresses.forEach(check);
    // IPv4 addresses come first: in a network without IPv6, an IPv6 connection may hang for minutes.
    addresses.sort((a, b) => Number(a.includes(":")) - Number(b.includes(":")));
    // If Deno's flags allow only some names, Deno refuses connections to resolved addresses. So Deno must resolve the name,
    // and the connected address is checked.
    if (!isNetUnrestricted()) {
      if (!mayConnect(hostname, port)) throw new ToolFailure(`${hostname}: ${FLAGS}`);
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

function names(declared: string, hostname: string, port: number): boolean {
  const [, host = "", onlyPort] =
    /^(.*?)(?::(\d+))?$/.exec(isBareIpv6(declared) ? `[${declared}]` : declared) ?? [];
  if (onlyPort !== undefined && Number(onlyPort) !== port) return false;
  const name = normalizeHost(hostname);
  return host.startsWith("*.")
    ? name.endsWith(normalizeHost(host.slice(1)))
    : name === normalizeHost(host);
}

function isBareIpv6(text: string): boolean {
  return !text.startsWith("[") && text.split(":").length > 2;
}

function isLoopbackName(hostname: string): boolean {
  const name = normalizeHost(hostname);
  return name === "localhost" || name.endsWith(".localhost") ||
    classifyAddress(name) === "loopback";
}

async function answer(connection: Deno.Conn, status: number, text: string): Promise<void> {
  await writeAll(connection, answerHead(status, `${text}\n`));
}

/** Copies data until `from` ends, then closes `to` for writing. */
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
    // The connection is closed already.
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}
