// Defines the paths of the browser's sign-in to an MCP server, below the address of the page. They need no API key.

export const SIGN_IN_PATHS = {
  /** The authorization server sends the browser back to this path. */
  callback: "/sign-in/callback",
  /** The document that describes Inkling to authorization servers (client id metadata). */
  client: "/sign-in/client",
} as const;

/** Returns true if a browser opens the callback. A page of another site leads to it. */
export function opensSignInCallback({ method, url }: Request): boolean {
  return method === "GET" && URL.parse(url)?.pathname === SIGN_IN_PATHS.callback;
}
