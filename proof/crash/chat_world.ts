// A real service with a Telegram chat, which dies by SIGKILL at a request to the chat app, and the person who writes to it.
import assert from "node:assert/strict";
import { call } from "../../tests/runtime/executions/executions_of.ts";
import { createRealHome, type RealHome, untilFound } from "../../tests/e2e/real_process.ts";
import { TelegramServer, TOKEN } from "../../tests/reach/chat/telegram_server.ts";

const OWNER = 77;

/** A request of the bot at which the service dies: before the app handles it, or after its effect and before its response. */
export interface ChatDeath {
  name: string;
  when: "before" | "after";
  method: string;
  /** The number of the request among those of its method in the round. */
  nth: number;
}

/** The points of one message: it is received, run, asked about, approved and answered. */
export const CHAT_DEATHS: readonly ChatDeath[] = [
  { name: "the message is on its way", when: "after", method: "getUpdates", nth: 1 },
  { name: "the run is accepted", when: "before", method: "getUpdates", nth: 2 },
  { name: "the question is sent", when: "before", method: "sendMessage", nth: 1 },
  { name: "the question is shown", when: "after", method: "sendMessage", nth: 1 },
  { name: "the press is on its way", when: "after", method: "getUpdates", nth: 2 },
  { name: "the answer is stored", when: "before", method: "answerCallbackQuery", nth: 1 },
  { name: "the press is acknowledged", when: "after", method: "answerCallbackQuery", nth: 1 },
  { name: "the question is settled", when: "after", method: "editMessageText", nth: 1 },
  { name: "the result is sent", when: "before", method: "sendMessage", nth: 2 },
  { name: "the result is shown", when: "after", method: "sendMessage", nth: 2 },
];

/** The messages of a round that the chat shows, by kind. */
export interface ShownTwice {
  questions: number;
  results: number;
}

/** The world of the proof. Each round is one message of the person. */
export class ChatCrashWorld implements AsyncDisposable {
  readonly #home: RealHome;
  readonly #app: TelegramServer;
  #service: Deno.ChildProcess | undefined;
  #rounds = 0;

  private constructor(home: RealHome, app: TelegramServer) {
    this.#home = home;
    this.#app = app;
  }

  static async open(): Promise<ChatCrashWorld> {
    const app = new TelegramServer();
    const home = await createRealHome({ shell: { BOT_TOKEN: TOKEN } });
    await Deno.writeTextFile(
      `${home.configDir}/config.yaml`,
      `workspace: ${home.workspace}
chat:
  phone:
    type: telegram
    token: BOT_TOKEN
    api_root: ${app.apiRoot}
    agent: writer
    people: [{ id: ${OWNER}, name: owner, may: [chat, answer, start] }]
`,
    );
    const write = call("file_write", { path: "note.txt", content: "x" });
    await home.writeScript(
      "writer",
      [{ call: [write] }, { say: "Written." }],
      "history: off\non_restart: resume",
    );
    return new ChatCrashWorld(home, app);
  }

  /** Sends a message, kills the service at the point, starts it again, and approves. Checks the end of the message. */
  async round({ when, method, nth, name }: ChatDeath): Promise<ShownTwice> {
    const app = this.#app;
    const first = app.shown.length;
    const text = `Message ${++this.#rounds}`;
    if (this.#service === undefined) this.#service = await this.#start();
    const died = Promise.withResolvers<void>();
    let count = 0;
    /** Kills the service if this is the point. Returns true if it still lives. */
    const live = async (at: "before" | "after", requested: string) => {
      if (requested !== method || at !== when || ++count !== nth) return true;
      const service = this.#service!;
      service.kill("SIGKILL");
      await service.status;
      died.resolve();
      return false;
    };
    // The open request for updates is the first one, because the message arrives in its response.
    if (when === "before" && method === "getUpdates") count = 1;
    app.isReceived = (one) => live("before", one);
    app.afterEffect = async (one) => void await live("after", one);
    app.say(OWNER, text);
    const pressed = new Set<number>();
    const shown = () => app.shown.slice(first);
    const results = () => shown().filter((one) => one.text === "Written.");
    const press = () => {
      for (const one of shown()) {
        const { Approve: data } = one.buttons;
        if (data === undefined || pressed.has(one.id)) continue;
        pressed.add(one.id);
        app.press(OWNER, one, data);
      }
    };
    const pressing = setInterval(press, 10);
    try {
      await died.promise;
      this.#release();
      this.#service = await this.#start();
      await untilFound(`the result after a death when ${name}`, () => results().length > 0);
      // The reply to a later message shows that the chat has handled everything before.
      app.say(OWNER, "/help");
      await untilFound(
        "the reply to /help",
        () => shown().some((one) => one.text.includes("/run")),
      );
      await untilFound("all updates", () => app.isRead);
    } finally {
      clearInterval(pressing);
    }
    const runs = await this.#home.all<{ id: number; status: string }>(
      "SELECT id, status FROM executions WHERE request ->> '$.message' = ?",
      text,
    );
    assert.deepEqual(runs.map(({ status }) => status), ["success"], name);
    const answers = await this.#home.all(
      "SELECT 1 FROM frames WHERE execution_id = ? AND event = 'message' AND payload ->> '$.request_id' IS NOT NULL",
      runs[0]?.id ?? 0,
    );
    assert.equal(answers.length, 1, name);
    const counts = {
      questions: shown().filter((one) => one.text.startsWith("writer asks")).length,
      results: results().length,
    };
    // Everything is shown at least once, and at most once more after a death in the moment of sending.
    for (const one of Object.values(counts)) assert.ok(one === 1 || one === 2, name);
    return counts;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#release();
    this.#service?.kill("SIGKILL");
    await this.#service?.status;
    await this.#home[Symbol.asyncDispose]();
    await this.#app[Symbol.asyncDispose]();
  }

  #release(): void {
    this.#app.isReceived = () => true;
    this.#app.afterEffect = () => {};
  }

  async #start(): Promise<Deno.ChildProcess> {
    const polls = this.#app.calls.length;
    const service = await this.#home.spawn(["start", "--keep-alive"]);
    void service.stdout.pipeTo(new WritableStream());
    void service.stderr.pipeTo(new WritableStream());
    await untilFound("the poll", () => this.#app.calls.slice(polls).includes("getUpdates"));
    return service;
  }
}
