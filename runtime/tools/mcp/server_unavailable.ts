// The two errors of an unavailable session. They are separate from session.ts, which is loaded late.

/** Error: the connection to a server cannot be made, or is lost. The message is a complete text that is safe to show. */
export class ServerUnavailable extends Error {
  override readonly name = "ServerUnavailable";
}

/** Error: the session is over and the call was not made. The caller may open another session at once. */
export class SessionExpired extends Error {
  override readonly name = "SessionExpired";
}
