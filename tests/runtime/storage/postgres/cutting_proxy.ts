// A TCP proxy to a server, which simulates failures at chosen moments.

/** A proxy between clients and a server, with methods that simulate failures. */
export interface CuttingProxy extends AsyncDisposable {
  port: number;
  /** Forwards the next message that contains `statement`, but closes the connection instead of returning the answer. */
  loseAnswerOf(statement: string): void;
  /** Drops the next message that contains `statement`, and all later data of its connection. */
  swallowAt(statement: string): void;
  /** True if swallowAt() has made a connection dead. */
  readonly hasSwallowed: boolean;
  /** Closes the connections that swallow() or swallowAt() has made dead. */
  closeSwallowed(): void;
  /**
   * Drops all data from now on without closing connections, also of new ones. With `program`, affects only clients with
   * this application name.
   */
  swallow(program?: string): void;
  /** Closes all connections. New connections work. */
  cut(): void;
  /** The number of forwarded bytes, both directions together. */
  readonly bytes: number;
  /** Stops reading the server's data until `readAgain`. */
  stopReading(): void;
  readAgain(): void;
  /** Closes new connections immediately. */
  refuseNew(): void;
  /** Forwards new connections again after swallow() or refuseNew(). Dead connections stay dead. */
  passNew(): void;
}

/** Opens a proxy to a local port. */
export function openCuttingProxy(target: number): CuttingProxy {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.Conn>();
  const work = new Set<Promise<void>>();
  let fatal: string | undefined;
  let last: string | undefined;
  let swallowing: string | undefined;
  let isRefusing = false;
  let bytes = 0;
  let reading = Promise.withResolvers<void>();
  reading.resolve();
  const close = (conn: Deno.Conn) => {
    if (open.delete(conn)) conn.close();
  };
  const swallowed = new Set<Deno.Conn>();
  /** For each client connection that has sent data: its server connection, and its first message. */
  const met = new Map<Deno.Conn, { server: Deno.Conn; first: string }>();
  const swallowOf = (client: Deno.Conn, program: string) => {
    const connection = met.get(client);
    if (connection?.first.includes(program)) swallowed.add(client).add(connection.server);
  };
  const pass = async (from: Deno.Conn, to: Deno.Conn, look: (text: string) => unknown) => {
    const buffer = new Uint8Array(64 * 1024);
    try {
      for (let n; (n = await from.read(buffer)) !== null;) {
        const text = new TextDecoder().decode(buffer.subarray(0, n));
        if (last !== undefined && text.includes(last)) {
          swallowed.add(from).add(to);
          last = undefined;
        }
        const hasPassed = await look(text);
        if (swallowed.has(from)) continue;
        if (!hasPassed) break;
        bytes += n;
        for (let at = 0; at < n;) at += await to.write(buffer.subarray(at, n));
      }
    } catch {
      // The client or the server has closed the connection.
    }
    met.delete(from);
    if (swallowed.has(from)) return;
    close(from);
    close(to);
  };
  const accept = async () => {
    for await (const client of listener) {
      open.add(client);
      if (isRefusing) {
        close(client);
        continue;
      }
      const server = await Deno.connect({ hostname: "127.0.0.1", port: target }).catch(() => {});
      if (server === undefined) {
        close(client);
        continue;
      }
      open.add(server);
      let isLost = false;
      work.add(pass(client, server, (text) => {
        if (!met.has(client)) {
          met.set(client, { server, first: text });
          if (swallowing !== undefined) swallowOf(client, swallowing);
        }
        if (fatal !== undefined && text.includes(fatal)) {
          isLost = true;
          fatal = undefined;
        }
        return true;
      }));
      work.add(pass(server, client, () => reading.promise.then(() => !isLost)));
    }
  };
  const accepting = accept().catch(() => {});
  return {
    port: (listener.addr as Deno.NetAddr).port,
    loseAnswerOf: (statement) => fatal = statement,
    swallowAt: (statement) => last = statement,
    get hasSwallowed() {
      return swallowed.size > 0;
    },
    closeSwallowed: () => swallowed.forEach(close),
    swallow: (program = "") => {
      swallowing = program;
      for (const client of met.keys()) swallowOf(client, program);
    },
    cut() {
      swallowing = undefined;
      for (const conn of [...open]) close(conn);
    },
    get bytes() {
      return bytes;
    },
    stopReading: () => reading = Promise.withResolvers(),
    readAgain: () => reading.resolve(),
    refuseNew: () => isRefusing = true,
    passNew() {
      swallowing = undefined;
      isRefusing = false;
    },
    async [Symbol.asyncDispose]() {
      reading.resolve();
      listener.close();
      await accepting;
      for (const conn of [...open]) close(conn);
      await Promise.all(work);
    },
  };
}
