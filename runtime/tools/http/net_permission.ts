// Checks Deno's network permission before a connection, because some permission errors in node:http cannot be caught
// (measured with Deno 2.9.6).

/** Returns true if Deno's flags permit every host. Only then may a connection go to a resolved address. */
export function isNetUnrestricted(): boolean {
  return Deno.permissions.querySync({ name: "net" }).state === "granted";
}

/** Returns true if Deno's flags permit a connection to this host and port. An IPv6 address must be in brackets. */
export function mayConnect(hostname: string, port: number): boolean {
  if (isNetUnrestricted()) return true;
  try {
    return Deno.permissions.querySync({ name: "net", host: `${hostname}:${port}` }).state ===
      "granted";
  } catch (error) {
    // Deno throws for a host name that a flag cannot contain, for example one with an underscore. So no flag permits it.
    if (error instanceof URIError || error instanceof TypeError) return false;
    throw error;
  }
}
