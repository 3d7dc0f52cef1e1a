// The two ways in which a session is not to be had. They stand apart from what throws them, which is loaded late.

/** The connection to a server cannot be made, or is gone. The message is a whole text, safe to show. */
export class ServerUnavailable extends Error {
  override readonly name = "ServerUnavailable";
}

/** The session is over and the call was not made: another session can be opened for it at once. */
export class SessionExpired extends Error {
  override readonly name = "SessionExpired";
}
