// A service with a Slack chat, and the people who write to it.
import { Chats } from "../../../../app/chats.ts";
import type { Runtime } from "../../../../runtime/interface/runtime.ts";
import { createTestWorkspace, type TestWorkspace } from "../../../support/test_workspace.ts";
import { until } from "../../../support/until.ts";
import { APP_TOKEN, BOT_TOKEN, type ShownMessage, SlackServer } from "./slack_server.ts";

/** The owner may do everything, the guest only talk. A third person is unknown. */
export const OWNER = "U01OWNER";
export const GUEST = "U02GUEST";
export const STRANGER = "U03STRANGER";
export const CHANNEL = "C01TEAM";

/** A running service. */
export interface SlackService extends AsyncDisposable {
  runtime: Runtime;
}

/** A workspace with a chat, its app's server, and its people. */
export interface SlackWorld extends AsyncDisposable {
  place: TestWorkspace;
  app: SlackServer;
  open(): Promise<SlackService>;
  /** Waits for a message in a place that contains a text, and returns it. */
  seen(place: string, text: string): Promise<ShownMessage>;
}

export async function createSlackWorld({ token = BOT_TOKEN } = {}): Promise<SlackWorld> {
  const app = new SlackServer();
  const place = await createTestWorkspace({ shell: { BOT: token, APP: APP_TOKEN } });
  await Deno.writeTextFile(
    `${place.configDir}/config.yaml`,
    `workspace: ${place.workspace}
chat:
  team:
    type: slack
    token: BOT
    app_token: APP
    api_root: ${app.apiRoot}
    agent: concierge
    people:
      - { id: ${OWNER}, name: owner, may: [chat, answer, start] }
      - { id: ${GUEST}, name: guest }
    groups: [{ id: ${CHANNEL} }]
`,
  );
  return {
    place,
    app,
    async open() {
      const settings = await place.settings();
      const ready = Promise.withResolvers<Chats>();
      const runtime = await place.open({
        openChat: (chat) => ({
          send: async (message, signal) => (await ready.promise).post(chat, message, signal),
        }),
      });
      const chats = new Chats(runtime, settings);
      ready.resolve(chats);
      await chats.update();
      return {
        runtime,
        async [Symbol.asyncDispose]() {
          await chats[Symbol.asyncDispose]();
          await runtime[Symbol.asyncDispose]();
        },
      };
    },
    async seen(where, text) {
      let found: ShownMessage | undefined;
      await until(() => {
        found = app.in(where).findLast((one) => one.text.includes(text));
        return found !== undefined;
      }, `a message with ${text} in ${where}: ${JSON.stringify(app.shown)} ${app.calls}`);
      return found!;
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}
