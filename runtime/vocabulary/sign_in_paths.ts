// Defines the paths of sign-ins, below the address of the page. They need no API key.

/** The paths of the browser's sign-in to an MCP server. */
export const SIGN_IN_PATHS = {
  /** The authorization server sends the browser back to this path. */
  callback: "/sign-in/callback",
  /** The document that describes Inkling to authorization servers (client id metadata). */
  client: "/sign-in/client",
} as const;

/** The paths of the sign-in of people with OpenID Connect. All are in one folder, in which the log-in's cookie is valid. */
export const OPENID_PATHS = {
  start: "/openid-login",
  /** The provider sends the browser back to this path. */
  callback: "/openid-callback",
  /** The document that names the provider to clients of /mcp (RFC 9728). */
  resource: "/.well-known/oauth-protected-resource",
  mcpResource: "/.well-known/oauth-protected-resource/mcp",
} as const;

/** Returns true if a browser opens the callback. A page of another site leads to it. */
export function opensSignInCallback({ method, url }: Request): boolean {
  return method === "GET" && URL.parse(url)?.pathname === SIGN_IN_PATHS.callback;
}
