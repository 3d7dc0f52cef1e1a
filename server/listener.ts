// What the service asks of each place it listens on.

/** One open listener. */
export interface Listener {
  /** `unix:/path`, `tcp://host:port`. */
  readonly address: string;
  /** Takes no further connection (a socket file is gone at once), lets requests in flight finish. */
  close(): Promise<void>;
  /** Gives up on connections that do not finish: they no longer keep the process alive. */
  abandon(): void;
}

/** Answers one request. */
export type Handler = (request: Request) => Response | Promise<Response>;
