// Defines the errors of a session that is unavailable. They are not in session.ts, which is loaded only when a session is
// opened.

/** Error: the connection to a server failed or was lost. The message consists of whole sentences without secrets. */
export class ServerUnavailable extends Error {
  override readonly name = "ServerUnavailable";
}

/** Error: the session has ended and the server did not receive the call. The caller may open another session at once. */
export class SessionExpired extends Error {
  override readonly name = "SessionExpired";
}
