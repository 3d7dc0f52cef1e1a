// A service with a Telegram chat, and the people who write to it.
import type { Clock } from "../../../base/clock.ts";
import { createTestWorkspace, type TestWorkspace } from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";
import { type ChatService, openChatService } from "./apps/app_world.ts";
import { type ShownMessage, TelegramServer, TOKEN } from "./telegram_server.ts";

/** The owner may do everything, the guest only talk. A third person is unknown. */
export const OWNER = 77;
export const GUEST = 78;
export const STRANGER = 99;
export const GROUP = -500;

/** A workspace with a chat, its app's server, and its people. */
export interface ChatWorld extends AsyncDisposable {
  place: TestWorkspace;
  app: TelegramServer;
  open(options?: { clock?: Clock }): Promise<ChatService>;
  /** Waits for a message in a place that contains a text, and returns it. */
  seen(place: number, text: string): Promise<ShownMessage>;
}

/** Creates a world. `lines` are further lines of the chat in config.yaml, and `person` is a further person. */
export async function createChatWorld(
  { lines = "", config = "", shell = {}, person }: {
    lines?: string;
    person?: string;
    config?: string;
    shell?: Record<string, string>;
  } = {},
): Promise<ChatWorld> {
  const app = new TelegramServer();
  const place = await createTestWorkspace({ shell: { BOT_TOKEN: TOKEN, ...shell } });
  await place.configure(`${config}
chat:
  phone:
    type: telegram
    token: BOT_TOKEN
    api_root: ${app.apiRoot}
    agent: concierge
    people:
      - { id: ${OWNER}, name: owner, may: [chat, answer, start] }
      - { id: ${GUEST}, name: guest }
${person === undefined ? "" : `      - ${person}\n`}    groups: [{ id: ${GROUP} }]
${lines}`);
  return {
    place,
    app,
    open: (options) => openChatService(place, options),
    async seen(where, text) {
      let found: ShownMessage | undefined;
      await until(() => {
        found = app.in(where).findLast((one) => one.text.includes(text));
        return found !== undefined;
      }, `a message with ${text} in ${where}: ${JSON.stringify(app.in(where))}`);
      return found!;
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}
