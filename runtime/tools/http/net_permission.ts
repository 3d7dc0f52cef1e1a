// What Deno's flags let this process reach over the network: asked before a connection is tried, because node:http throws
// some refusals where nobody can catch them (measured with Deno 2.9.6).

/** Whether every host may be reached, so that a connection may go to an address that a name was looked up for. */
export function isNetOpen(): boolean {
  return Deno.permissions.querySync({ name: "net" }).state === "granted";
}

/** Whether this host (as a URL writes it) may be reached at this port. */
export function mayConnect(hostname: string, port: number): boolean {
  if (isNetOpen()) return true;
  try {
    return Deno.permissions.querySync({ name: "net", host: `${hostname}:${port}` }).state ===
      "granted";
  } catch (error) {
    // No name that a flag could hold, such as one with an underscore.
    if (error instanceof URIError || error instanceof TypeError) return false;
    throw error;
  }
}
