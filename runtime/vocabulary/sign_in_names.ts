// The names of stored sign-ins: that of an MCP server is the server's own, that of a mail account begins with `mail:`.

const MAIL = "mail:";

/** Returns the name under which the sign-in of a mail account is stored. */
export function signInNameOf(account: string): string {
  return MAIL + account;
}

/** Returns the name of the mail account of a stored sign-in, or undefined for an MCP server. */
export function mailAccountOf(server: string): string | undefined {
  return server.startsWith(MAIL) ? server.slice(MAIL.length) : undefined;
}

/** Returns the words for the mail account of a stored sign-in, or `shown` for an MCP server. */
export function describePlace(server: string, shown: string): string {
  const account = mailAccountOf(server);
  return account === undefined ? shown : `the mail account ${account}`;
}
