// One chat: receives the messages of its people, passes them on, and keeps what it shows up to date.
import { backoffMs } from "../../base/backoff.ts";
import { firstOf } from "../../base/first_of.ts";
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import { cutEnd } from "../../base/text/cut_text.ts";
import { MINUTE_MS, SECOND_MS } from "../../base/time_units.ts";
import { WorkLoop } from "../../base/work_loop.ts";
import {
  AppFailure,
  type ButtonPress,
  type ChatMessage,
  type Missed,
  type Post,
} from "./chat_app.ts";
import { type ChatPorts, findPerson, may } from "./chat_ports.ts";
import { CHOOSE, Conversations, isCommand } from "./conversations.ts";
import { offerCode } from "./pairing.ts";
import { Poller } from "./poller.ts";
import { Questions } from "./questions.ts";
import { Replies } from "./replies.ts";
import { type Notice, type Refused, sendNotice, sendToEach } from "./send_notice.ts";

/** The time in milliseconds that requests in progress get when the chat stops. */
const GRACE_MS = 2 * SECOND_MS;
/** The age from which a message is asked about instead of run. */
const LATE_MS = 10 * MINUTE_MS;
const RETRY = { firstMs: 5 * SECOND_MS, longestMs: 5 * MINUTE_MS };
/** The number of attempts to handle one message. After them it is dropped, so that later ones arrive. */
const ATTEMPTS = 5;
/** The beginning of the name of a note about a message that was handled. */
const SEEN = "seen:";
const RUN_LATE = "late:run";
const DROP_LATE = "late:drop";

/** A running chat. */
export class Chat implements AsyncDisposable {
  readonly #ports: ChatPorts;
  readonly #questions: Questions;
  readonly #replies: Replies;
  readonly #conversations: Conversations;
  readonly #loop: WorkLoop;
  readonly #poller: Poller;
  readonly #receiving: Promise<void>;
  readonly #unsubscribe: () => void;
  /** Aborts the requests that are in progress when the chat stops. */
  readonly #stopped = new AbortController();

  /** Starts to receive. */
  constructor(ports: ChatPorts) {
    this.#ports = ports;
    this.#questions = new Questions(ports);
    this.#replies = new Replies(ports);
    this.#conversations = new Conversations(ports, {
      questions: this.#questions,
      replies: this.#replies,
    });
    this.#loop = new WorkLoop({
      clock: ports.clock,
      work: () => this.#refresh(),
      failed: (error) => ports.log.write("warn", "A chat could not be updated", { error }),
      retry: RETRY,
    });
    this.#poller = new Poller(ports, this.#loop);
    this.#unsubscribe = ports.onChange(() => this.#loop.wake());
    this.#receiving = this.#receive();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe();
    const closing = Promise.all([this.#loop[Symbol.asyncDispose](), this.#receiving]);
    // A message that is being sent gets a moment, so that it is not sent again after the next start.
    await firstOf(closing, { within: { clock: this.#ports.clock, ms: GRACE_MS } });
    this.#stopped.abort();
    await closing;
    // Now nothing is being sent, and another node may receive.
    await this.#poller.release();
  }

  /** Sends a notice to everybody who may answer, and a question only to its approvers. Throws AppFailure. */
  async post(notice: Notice, signal: AbortSignal): Promise<void> {
    const { app, log, settings } = this.#ports;
    const { executionId, requestId, isReminder } = notice;
    const refused: Refused = ({ message: reason }, { name: person }) =>
      log.write("warn", "A person of a chat gets no messages", { person, reason });
    if (executionId === null || requestId === null) {
      return await sendNotice(notice, { app, settings, refused }, signal);
    }
    const people = [];
    for (const person of settings()?.people ?? []) {
      const mayAnswer = may(person, "answer") &&
        await this.#questions.isFor(person, executionId, signal);
      if (mayAnswer) people.push(person);
    }
    await sendToEach(people, refused, async ({ id: personId }) => {
      const place = await app.openDirect?.(personId, signal) ?? personId;
      await this.#questions.show(executionId, { place, personId, isReminder }, signal);
    });
  }

  async #receive(): Promise<void> {
    const { app, log, clock } = this.#ports;
    const { signal } = this.#loop;
    for (let failures = 0; !signal.aborted;) {
      try {
        await this.#poller.run((held) =>
          app.receive(
            async (one) => {
              failures = 0;
              await this.#attempt(one);
            },
            held,
            () => this.#readMissed(),
          )
        );
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        failures++;
        if (failures === 1) {
          log.write("warn", "A chat cannot receive messages; retrying", { error });
        }
        const retryAfterMs = error instanceof AppFailure ? error.retryAfterMs : 0;
        const ms = Math.max(backoffMs(failures, RETRY), retryAfterMs);
        await sleepUnlessAborted(clock, ms, signal);
      }
    }
  }

  async #readMissed(): Promise<Missed> {
    const { notes, settings } = this.#ports;
    const { people = [], groups = [] } = settings() ?? {};
    const seen = await notes.listNotes(SEEN);
    return {
      seen: seen.map(({ name }) => name.slice(SEEN.length)),
      people: people.map(({ id }) => id),
      groups: groups.map(({ id }) => id),
    };
  }

  /** Handles a message or press. Repeats it after a failure, and finally drops it with a line in the log. */
  async #attempt(one: ChatMessage | ButtonPress): Promise<void> {
    const { clock, log } = this.#ports;
    const { signal } = this.#loop;
    for (let attempt = 1;; attempt++) {
      try {
        return await this.#handle(one);
      } catch (error) {
        signal.throwIfAborted();
        if (attempt === ATTEMPTS || (error instanceof AppFailure && error.isFinal)) {
          return log.write("error", "A message of a chat could not be handled", { error });
        }
        await clock.sleep(backoffMs(attempt, RETRY), signal);
      }
    }
  }

  async #handle(one: ChatMessage | ButtonPress): Promise<void> {
    const { app, notes, settings } = this.#ports;
    const { signal } = this.#stopped;
    const person = findPerson(this.#ports, one.sender.id);
    if (one.isGroup && !settings()?.groups.some(({ id }) => id === one.place)) return;
    // The bot answers unknown people only if they send the code of the terminal.
    if (person === undefined) {
      if (one.type !== "message" || one.isGroup) return;
      const sender = await offerCode(one, this.#ports, signal);
      // An app that finds missed messages must not find the code, nor anything before it.
      if (sender !== undefined) await notes.write(`${SEEN}${one.key}`, true);
      return;
    }
    if (one.type === "press") {
      const text = await this.#press(one);
      await app.acknowledge(one, text, signal);
      this.#loop.wake();
      return;
    }
    const mark = `${SEEN}${one.key}`;
    if (await notes.readNote(mark) !== undefined) return;
    const reply = await this.#hear(one);
    if (reply !== undefined) await this.#reply(one, reply);
    await notes.write(mark, true);
    await notes.purge(SEEN);
    this.#loop.wake();
  }

  async #hear(message: ChatMessage): Promise<Post | undefined> {
    const { clock } = this.#ports;
    const question = isCommand(message.text)
      ? undefined
      : await this.#questions.findAnswered(message);
    if (!message.isAddressed && question === undefined) return undefined;
    if (message.isForwarded) {
      return { text: "Forwarded text is not your word: type it yourself, or copy it." };
    }
    if (clock.now() - message.sentAt > LATE_MS) {
      const sent = await this.#reply(message, {
        text: "This message came late, because Inkling was off. Use it now?",
        buttons: [[{ label: "Use it", data: RUN_LATE }, { label: "Drop it", data: DROP_LATE }]],
      });
      await this.#ports.notes.write(`late:${message.place}:${sent}`, message);
      return undefined;
    }
    return await this.#act(message);
  }

  /** Uses a message: as an answer, as a command, or as a message to an agent. */
  async #act(message: ChatMessage): Promise<Post | undefined> {
    const { notes } = this.#ports;
    const { signal } = this.#stopped;
    const person = findPerson(this.#ports, message.sender.id);
    if (person === undefined) return undefined;
    const chosen = `answer:${message.key}`;
    const question = isCommand(message.text)
      ? undefined
      : await notes.readNote<Awaited<ReturnType<Questions["findAnswered"]>>>(chosen) ??
        await this.#questions.findAnswered(message);
    if (question === undefined) return await this.#conversations.hear(message, person, signal);
    // Noted first: after a kill, a text that answered a question does not become a message to an agent.
    await notes.write(chosen, question);
    const text = await this.#conversations.answer(question, message, { person, signal });
    await notes.purge("answer:");
    return { text };
  }

  async #press(press: ButtonPress): Promise<string> {
    const { app, notes } = this.#ports;
    const { signal } = this.#stopped;
    const person = findPerson(this.#ports, press.sender.id);
    if (person === undefined) return "";
    const { data, place, messageId } = press;
    if (data.startsWith(CHOOSE)) {
      return await this.#conversations.choose(press, data.slice(CHOOSE.length), person);
    }
    if (data !== RUN_LATE && data !== DROP_LATE) {
      return await this.#questions.press(press, person, signal);
    }
    const name = `late:${place}:${messageId}`;
    const message = await notes.readNote<ChatMessage>(name);
    if (message === undefined || message.sender.id !== person.id) return "This is over.";
    const reply = data === RUN_LATE ? await this.#act(message) : undefined;
    if (reply !== undefined) await this.#reply(message, reply);
    const text = data === RUN_LATE ? "The late message was used." : "The late message was dropped.";
    await app.edit(place, messageId, { text }, signal);
    await notes.remove(name);
    return text;
  }

  async #reply({ place, messageId, isGroup }: ChatMessage, post: Post): Promise<string> {
    const { app } = this.#ports;
    const replyTo = isGroup ? messageId : undefined;
    // Lists of agents, failures and options can be longer than a message.
    const text = cutEnd(post.text, app.maxText);
    return await app.send(place, { replyTo, ...post, text }, this.#stopped.signal);
  }

  /** Sends due answers, shows the questions of runs that wait, and settles questions that are no longer open. */
  async #refresh(): Promise<number | undefined> {
    if (!this.#poller.isReceiving) return undefined;
    const { signal } = this.#stopped;
    const due: number[] = [];
    for (const note of await this.#questions.list()) await this.#questions.settle(note, signal);
    for (const run of await this.#replies.list()) {
      const { status, dueMs } = await this.#replies.advance(run, signal);
      if (dueMs !== undefined) due.push(dueMs);
      if (status !== "waiting") continue;
      const { place, isGroup, personId, messageId } = run;
      const at = isGroup ? { place, personId: null, replyTo: messageId } : { place, personId };
      await this.#questions.show(run.id, at, signal);
    }
    return due.length === 0 ? undefined : Math.min(...due);
  }
}
