// The interface of the service's listeners.

/** One open listener. */
export interface Listener {
  /** `unix:/path`, `tcp://host:port`. */
  readonly address: string;
  /** Stops accepting connections and removes a socket file at once. Resolves when the requests in flight are answered. */
  close(): Promise<void>;
  /** Breaks the remaining connections. */
  abort(): void;
}

/** Answers one request. */
export type Handler = (request: Request) => Response | Promise<Response>;
