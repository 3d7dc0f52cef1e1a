// Checks Deno's network permission before a connection, because some refusals in node:http cannot be caught (measured with
// Deno 2.9.6).

/** Returns true if every host is permitted, so that a connection may go to a resolved address. */
export function isNetUnrestricted(): boolean {
  return Deno.permissions.querySync({ name: "net" }).state === "granted";
}

/** Returns true if this host, in a URL's notation, is permitted at this port. */
export function mayConnect(hostname: string, port: number): boolean {
  if (isNetUnrestricted()) return true;
  try {
    return Deno.permissions.querySync({ name: "net", host: `${hostname}:${port}` }).state ===
      "granted";
  } catch (error) {
    // A flag cannot contain such a name, for example one with an underscore.
    if (error instanceof URIError || error instanceof TypeError) return false;
    throw error;
  }
}
