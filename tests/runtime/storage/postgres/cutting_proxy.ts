// A way to a server that can break off at a chosen moment.

/** Stands between a client and a server. */
export interface CuttingProxy extends AsyncDisposable {
  port: number;
  /** Passes the next such statement on, and breaks off instead of passing its answer back. */
  loseAnswerOf(statement: string): void;
}

/** Opens one to a port of this machine. */
export function openCuttingProxy(target: number): CuttingProxy {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.Conn>();
  const work = new Set<Promise<void>>();
  let fatal: string | undefined;
  const close = (conn: Deno.Conn) => {
    if (open.delete(conn)) conn.close();
  };
  const pass = async (from: Deno.Conn, to: Deno.Conn, look: (text: string) => boolean) => {
    const buffer = new Uint8Array(64 * 1024);
    try {
      for (let n; (n = await from.read(buffer)) !== null;) {
        if (!look(new TextDecoder().decode(buffer.subarray(0, n)))) break;
        for (let at = 0; at < n;) at += await to.write(buffer.subarray(at, n));
      }
    } catch {
      // The other side broke off.
    }
    close(from);
    close(to);
  };
  const accept = async () => {
    for await (const client of listener) {
      open.add(client);
      const server = await Deno.connect({ hostname: "127.0.0.1", port: target });
      open.add(server);
      let isLost = false;
      work.add(pass(client, server, (text) => {
        if (fatal !== undefined && text.includes(fatal)) {
          isLost = true;
          fatal = undefined;
        }
        return true;
      }));
      work.add(pass(server, client, () => !isLost));
    }
  };
  const accepting = accept().catch(() => {});
  return {
    port: (listener.addr as Deno.NetAddr).port,
    loseAnswerOf: (statement) => fatal = statement,
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting;
      for (const conn of [...open]) close(conn);
      await Promise.all(work);
    },
  };
}
