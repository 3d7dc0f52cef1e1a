// A reverse proxy that serves the service's port under `/inkling`, over TLS if it has a certificate.

/** The options of the proxy. */
export interface OwnProxyOptions {
  /** Returns the service's origin `http://127.0.0.1:<port>`, once the service runs. */
  target: () => string;
  /** A key that the proxy adds to every request. */
  key?: string;
  tls?: { cert: string; key: string };
}

/** Starts the proxy; it runs until it is disposed. */
export function openOwnProxy(
  { target, key, tls }: OwnProxyOptions,
): { origin: string } & AsyncDisposable {
  const handler = (request: Request) => {
    const { pathname, search } = new URL(request.url);
    if (!pathname.startsWith("/inkling/")) return new Response("elsewhere", { status: 404 });
    const headers = new Headers(request.headers);
    if (key !== undefined) headers.set("x-api-key", key);
    headers.delete("host");
    const path = pathname.slice("/inkling".length) + search;
    const { method, body } = request;
    return fetch(`${target()}${path}`, { method, headers, body, redirect: "manual" });
  };
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {}, ...tls },
    handler,
  );
  return {
    origin: `${tls === undefined ? "http" : "https"}://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
