// Reads Discord's gateway until it fails.
import type { REST } from "@discordjs/rest";
import {
  CloseCodes,
  type SessionInfo,
  WebSocketManager,
  WebSocketShardEvents,
} from "@discordjs/ws";
import {
  GatewayCloseCodes,
  type GatewayDispatchPayload,
  GatewayIntentBits,
} from "discord-api-types/v10";
import { untilAborted } from "../../base/bounded_wait.ts";
import { SerialQueue } from "../../base/serial_queue.ts";
import { AppFailure } from "./chat_app.ts";

/** The codes with which the package itself closes a socket to open the next one. */
const OWN_CODES: ReadonlySet<number> = new Set([CloseCodes.Normal, CloseCodes.Resuming]);

/**
 * Performs the work of each event, one at a time, until the signal aborts. `toWork` is called at once. `start` runs before
 * the first work, and again after each session that Discord did not resume. Throws AppFailure.
 */
export async function readGateway(
  { rest, token }: { rest: REST; token: string },
  { start, toWork }: {
    start: () => Promise<void>;
    toWork: (event: GatewayDispatchPayload) => (() => Promise<void>) | undefined;
  },
  signal: AbortSignal,
): Promise<void> {
  let session: SessionInfo | null = null;
  let isOver = false;
  const gateway = new WebSocketManager({
    rest,
    token,
    intents: GatewayIntentBits.DirectMessages | GatewayIntentBits.GuildMessages,
    shardCount: 1,
    // After a failure the package would connect again, also if its user has closed it.
    retrieveSessionInfo: () => isOver ? new Promise(() => {}) : session,
    updateSessionInfo: (_, info) => {
      session = info === null ? null : {
        ...info,
        resumeURL: isAllowed(info.resumeURL) ? info.resumeURL : address,
      };
    },
  });
  const closed = Promise.withResolvers<void>();
  const queue = new SerialQueue();
  const run = (work: () => Promise<void>) =>
    queue.run(async () => {
      if (!signal.aborted) await work();
    }).catch(closed.reject);
  let isOpen = false;
  let lastCode = 0;
  let address = "";
  gateway.on(WebSocketShardEvents.Ready, () => {
    isOpen = true;
    void run(start);
  });
  gateway.on(WebSocketShardEvents.Resumed, () => {
    isOpen = true;
  });
  gateway.on(WebSocketShardEvents.Dispatch, (event) => {
    const work = toWork(event);
    if (work !== undefined) void run(work);
  });
  gateway.on(WebSocketShardEvents.Closed, (code) => {
    lastCode = code;
    // The package resumes a session once. A second failure in a row gets the pauses of the chat.
    if (!isOpen && !OWN_CODES.has(code)) closed.reject(toClosed(code));
    isOpen = false;
  });
  // The package does not connect again after this.
  gateway.on(WebSocketShardEvents.Error, () => closed.reject(toClosed(lastCode)));
  try {
    // The package's connect() ignores signals. With these facts at hand it sends no request.
    address = (await untilAborted(gateway.fetchGatewayInformation(), signal)).url;
    if (!isAllowed(address)) {
      throw new AppFailure(`Discord's gateway ${URL.parse(address)?.host} is not permitted`);
    }
    gateway.connect().catch(closed.reject);
    await untilAborted(closed.promise, signal);
  } finally {
    isOver = true;
    await gateway.destroy();
    await queue.settled();
  }
}

/** Returns true if this process may connect to an address. The package reports nothing if it may not. */
function isAllowed(address: string): boolean {
  const url = URL.parse(address);
  return url !== null &&
    Deno.permissions.querySync({ name: "net", host: url.host }).state === "granted";
}

function toClosed(code: number): AppFailure {
  if (code === GatewayCloseCodes.AuthenticationFailed) {
    return new AppFailure("Discord refused the token");
  }
  return new AppFailure(`Discord closed the connection with code ${code}`);
}
