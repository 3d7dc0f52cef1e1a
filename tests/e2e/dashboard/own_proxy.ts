// A proxy of one's own before the service's port: everything under `/inkling`, over TLS where it has a certificate.

/** What it does beside passing on. */
export interface OwnProxyOptions {
  /** `http://127.0.0.1:port` of the service, once it runs. */
  target: () => string;
  /** Added to every request. */
  key?: string;
  tls?: { cert: string; key: string };
}

/** Listens until disposed. */
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
