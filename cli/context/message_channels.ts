// The notification channels as the commands use them. app/app.ts implements them.

/**
 * A notification channel. `problem` is the reason why it cannot deliver messages, or null if no problem is known. `isEmpty`
 * is true for a chat in which nobody may answer.
 */
export interface ChannelReport {
  name: string;
  type: string;
  problem: string | null;
  isEmpty?: boolean;
}

/** The result of a test message. `reply` is the receiver's reply, or the reason for the failure. */
export interface ChannelTrial {
  name: string;
  delivered: boolean;
  reply: string;
  /** The token of the message's link; absent without a link. */
  token?: string;
}

/** The notification channels of config.yaml. */
export interface MessageChannels {
  report(): ChannelReport[];
  /** Asks the app of a chat about the token. Resolves to the problem, or to null. */
  check(name: string): Promise<string | null>;
  /**
   * Sends one test message and stores the result. Resolves to undefined for an unknown channel. With `isLinked` the message
   * has a link to confirm its arrival, if public_url is set.
   */
  try(name: string, options?: { isLinked?: boolean }): Promise<ChannelTrial | undefined>;
  /** Returns whether a test message was confirmed by its link. */
  isConfirmed(token: string): Promise<boolean>;
  /** Stores that a test message did not arrive. */
  reportLost(name: string): Promise<void>;
}
