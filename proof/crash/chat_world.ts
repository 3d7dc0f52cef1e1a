// A real service with a chat, which dies by SIGKILL at a request to the chat app, and the person who writes to it.
import assert from "node:assert/strict";
import { call } from "../../tests/runtime/executions/executions_of.ts";
import { createRealHome, type RealHome, untilFound } from "../../tests/e2e/real_process.ts";
import type { ChatDeath, CrashApp } from "./chat_apps.ts";

/** The messages of a round that the chat shows, by kind. */
export interface ShownTwice {
  questions: number;
  results: number;
}

/** The world of the proof. Each round is one message of the person. */
export class ChatCrashWorld implements AsyncDisposable {
  readonly #home: RealHome;
  readonly #chat: CrashApp;
  #service: Deno.ChildProcess | undefined;
  #rounds = 0;

  private constructor(home: RealHome, chat: CrashApp) {
    this.#home = home;
    this.#chat = chat;
  }

  static async open(chat: CrashApp): Promise<ChatCrashWorld> {
    const { app } = chat;
    const home = await createRealHome({ shell: app.shell });
    await Deno.writeTextFile(
      `${home.configDir}/config.yaml`,
      `workspace: ${home.workspace}
chat:
  phone:
    ${app.settings}
    agent: writer
    people: [{ id: "${app.owner}", name: owner, may: [chat, answer, start] }]
`,
    );
    const write = call("file_write", { path: "note.txt", content: "x" });
    await home.writeScript(
      "writer",
      [{ call: [write] }, { say: "Written." }],
      "history: off\non_restart: resume",
    );
    return new ChatCrashWorld(home, chat);
  }

  /** Sends a message, kills the service at the point, starts it again, and approves. Checks the end of the message. */
  async round({ when, method, nth, name }: ChatDeath): Promise<ShownTwice> {
    const { app, server, isRead } = this.#chat;
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
    server.isReceived = (one) => live("before", one);
    server.afterEffect = async (one) => void await live("after", one);
    app.say(app.owner, text);
    const pressed = new Set<string>();
    const shown = () => app.shown.slice(first);
    const results = () => shown().filter((one) => one.text === "Written.");
    const press = () => {
      for (const one of shown()) {
        const { Approve: data } = one.buttons;
        if (data === undefined || pressed.has(one.id)) continue;
        pressed.add(one.id);
        app.press(app.owner, one, data);
      }
    };
    const pressing = setInterval(press, 10);
    try {
      await died.promise;
      this.#release();
      this.#service = await this.#start();
      // A person presses again if nothing happened.
      pressed.clear();
      await untilFound(`the result after a death when ${name}`, () => results().length > 0);
      // The reply to a later message shows that the chat has handled everything before.
      app.say(app.owner, `${app.mark}help`);
      await untilFound(
        "the reply to /help",
        () => shown().some((one) => one.text.includes(`${app.mark}run`)),
      );
      await untilFound("all updates", isRead);
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
    await this.#chat.app[Symbol.asyncDispose]();
  }

  #release(): void {
    this.#chat.server.isReceived = () => true;
    this.#chat.server.afterEffect = () => {};
  }

  async #start(): Promise<Deno.ChildProcess> {
    const { server, receiving } = this.#chat;
    const polls = server.calls.length;
    const service = await this.#home.spawn(["start", "--keep-alive"]);
    void service.stdout.pipeTo(new WritableStream());
    void service.stderr.pipeTo(new WritableStream());
    await untilFound("the poll", () => server.calls.slice(polls).includes(receiving));
    return service;
  }
}
