// Reads one socket of Slack's Socket Mode until it closes.
import { SocketModeClient, type SocketModeOptions } from "@slack/socket-mode";
import { type Logger, LogLevel } from "@slack/web-api";
import { SerialQueue } from "../../base/serial_queue.ts";
import type { ButtonPress, ChatMessage } from "./chat_app.ts";
import { type Envelope, toFailure, toIncoming } from "./slack_wire.ts";

/** The package's lines contain messages of people. Failures reach the log of the service as errors. */
export const SILENT: Logger = {
  ...{ debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
  ...{ setLevel: () => {}, setName: () => {}, getLevel: () => LogLevel.ERROR },
};

/** Passes the messages and presses of one socket to `handle`, until it closes or the signal aborts. Throws AppFailure. */
export async function readSocket(
  options: SocketModeOptions,
  { handle, botId }: {
    handle: (one: ChatMessage | ButtonPress) => Promise<void>;
    botId: string;
  },
  signal: AbortSignal,
): Promise<void> {
  // The package's own reconnection rejects a promise that nobody holds if Slack cannot be reached.
  const socket = new SocketModeClient({ ...options, autoReconnectEnabled: false, logger: SILENT });
  const closed = Promise.withResolvers<void>();
  const queue = new SerialQueue();
  const close = () => {
    void socket.disconnect();
    // The second call does not wait for Slack's side of the closing.
    void socket.disconnect();
  };
  socket.on("slack_event", ({ ack, ...envelope }: Envelope & { ack: () => Promise<void> }) => {
    const confirm = () => ack().catch(() => {}); // Slack repeats what was not confirmed.
    queue.run(async () => {
      if (signal.aborted) return;
      const one = toIncoming(envelope, botId);
      // Slack marks a press as failed after three seconds, and never repeats it.
      if (one?.type !== "message") await confirm();
      if (one !== undefined) await handle(one);
      if (one?.type === "message") await confirm();
    }).catch(closed.reject);
  });
  signal.addEventListener("abort", close, { once: true });
  try {
    await socket.start();
    socket.once("disconnected", () => closed.resolve());
    if (signal.aborted) close();
    await closed.promise;
  } catch (error) {
    signal.throwIfAborted();
    close();
    throw toFailure(error);
  } finally {
    signal.removeEventListener("abort", close);
    await queue.settled();
  }
}
