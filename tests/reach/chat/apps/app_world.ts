// A service with a chat of any app, and the people who write to it.
import { Chats } from "../../../../app/chats.ts";
import type { Clock } from "../../../../base/clock.ts";
import type { Runtime } from "../../../../runtime/interface/runtime.ts";
import { createTestWorkspace, type TestWorkspace } from "../../../support/test_workspace.ts";
import { until } from "../../../support/until.ts";
import type { ShownMessage, TestedApp } from "./tested_app.ts";

/** A running service with its chats. */
export interface ChatService extends AsyncDisposable {
  runtime: Runtime;
}

/** Opens the runtime of a workspace, and its chats. */
export async function openChatService(
  place: TestWorkspace,
  options: { clock?: Clock } = {},
): Promise<ChatService> {
  const settings = await place.settings();
  const ready = Promise.withResolvers<Chats>();
  const runtime = await place.open({
    ...options,
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
}

/** A workspace with a chat, its app's server, and its people. */
export interface AppWorld<App extends TestedApp> extends AsyncDisposable {
  place: TestWorkspace;
  app: App;
  open(options?: { clock?: Clock }): Promise<ChatService>;
  /** Waits for a message in a place that contains a text, and returns it. */
  seen(place: string, text: string): Promise<ShownMessage>;
  /** Waits until the chat has handled everything that happened in the app before. */
  handled(): Promise<void>;
}

export async function createAppWorld<App extends TestedApp>(app: App): Promise<AppWorld<App>> {
  const place = await createTestWorkspace({ shell: app.shell });
  const idOf = (id: string) => /^\d{16,}$/.test(id) ? `"${id}"` : id;
  await place.configure(`chat:
  team:
    ${app.settings}
    agent: concierge
    people:
      - { id: ${idOf(app.owner)}, name: owner, may: [chat, answer, start] }
      - { id: ${idOf(app.guest)}, name: guest }
    groups: [{ id: ${idOf(app.group)} }]
`);
  let marks = 0;
  const seen = async (where: string, text: string) => {
    let found: ShownMessage | undefined;
    await until(() => {
      found = app.shown.findLast((one) => one.place === where && one.text.includes(text));
      return found !== undefined;
    }, `a message with ${text} in ${where}: ${JSON.stringify(app.shown)}`);
    return found!;
  };
  return {
    place,
    app,
    seen,
    async open(options) {
      const service = await openChatService(place, options);
      await app.connected?.();
      return service;
    },
    async handled() {
      // Commands are handled in their turn, so everything before was handled before.
      const name = `mark${String.fromCharCode(97 + marks++)}`;
      app.say(app.guest, `${app.mark}${name}`);
      await seen(app.directOf(app.guest), `There is no command ${app.mark}${name}.`);
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

/** An agent that repeats its message. */
export const ECHO = "---\nmodel: { provider: demo, name: echo }\n---\n\nAnswer.\n";

/**
 * Registers a test of an app, in which the agent `concierge` repeats messages. The packages of sockets have timers, which go
 * on for a moment after the last socket.
 */
export function testApp<Server>(
  name: string,
  { server: create, open }: { server: () => Server; open: (server: Server) => TestedApp },
  fn: (world: AppWorld<TestedApp>, server: Server) => Promise<void>,
): void {
  Deno.test({
    name,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const server = create();
      await using world = await createAppWorld(open(server));
      await world.place.writeAgent("concierge", ECHO);
      await fn(world, server);
    },
  });
}

/** Returns the number of runs in a world. */
export async function countRuns({ place }: AppWorld<TestedApp>): Promise<number> {
  return (await place.all("SELECT id FROM executions")).length;
}
