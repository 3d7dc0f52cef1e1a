// What the service asks of each place it listens on.

/** One open listener. */
export interface Listener {
  /** `unix:/path`, `tcp://host:port`. */
  readonly address: string;
  /** Takes no further connection (a socket file is gone at once), lets requests in flight finish. */
  close(): Promise<void>;
  /** Breaks the connections that are left. */
  cut(): void;
}

/** Answers one request. */
export type Handler = (request: Request) => Response | Promise<Response>;
