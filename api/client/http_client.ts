// Opens Deno's HTTP client for requests over a Unix socket.

/**
 * Opens Deno's HTTP client for a Unix socket. For a host in the variable NO_PROXY, Deno 2.9.6 ignores the socket and sends
 * the request over TCP, and users often list `localhost` or `*` there. Deno reads the variable when it opens the client, so
 * the variable is absent meanwhile. (rejected: a host that nobody lists, because narrow permission flags permit only hosts
 * of this machine)
 */
export function openHttpClient(socketFile: string): Deno.HttpClient {
  const present = ["NO_PROXY", "no_proxy"].flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [{ name, value }];
  });
  for (const { name } of present) Deno.env.delete(name);
  try {
    return Deno.createHttpClient({ proxy: { transport: "unix", path: socketFile } });
  } finally {
    for (const { name, value } of present) Deno.env.set(name, value);
  }
}
