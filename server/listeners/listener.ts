// Defines the interface of the service's listeners.

/** An open listener. */
export interface Listener {
  /** The address of the listener: `unix:/path` or `tcp://host:port`. */
  readonly address: string;
  /**
   * Stops accepting connections, and removes a socket file at once. Resolves when the requests in flight have their
   * responses.
   */
  close(): Promise<void>;
  /** Breaks the remaining connections. */
  abort(): void;
}

/** Returns the response to a request. `address` is the client's IP address, or null on a socket file. */
export type Handler = (
  request: Request,
  from: { address: string | null },
) => Response | Promise<Response>;
