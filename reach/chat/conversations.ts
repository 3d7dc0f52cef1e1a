// Starts runs for the messages of people, and performs their commands.
import { ApiError } from "../../api/client/client.ts";
import { inParallel } from "../../base/in_parallel.ts";
import { countRuns } from "../../present/recap.ts";
import { toVisibleLine } from "../../present/visible_text.ts";
import type { ChatPerson } from "../../runtime/config/chat_schema.ts";
import { type ChatRight, RIGHTS } from "../../runtime/vocabulary/rights.ts";
import { AppFailure, type ChatMessage, type Post } from "./chat_app.ts";
import { type ChatPorts, may, type PersonNote, type QuestionNote } from "./chat_ports.ts";
import { storeFiles } from "./received_files.ts";
import type { Questions } from "./questions.ts";
import type { Replies } from "./replies.ts";

/** The beginning of a button's data that chooses an agent. */
export const CHOOSE = "agent:";
/** The maximum bytes of a button's data. */
const MAX_DATA = 64;
const MOST_AGENTS = 50;
const SHOWN_AT_ONCE = 4;
const NOTHING_UNDERSTOOD = "Only text and files are understood here.";

/** The commands by name, each with the right that it needs and its line of help. */
export const COMMANDS = {
  new: { right: "chat", help: "Begin another conversation" },
  cancel: { right: "chat", help: "Cancel your running message, or an execution by its number" },
  pending: { right: "answer", help: "Show the open questions" },
  recap: { right: "answer", help: "Show what happened in the last 24 hours" },
  agents: { right: "start", help: "List the agents, and choose the one that answers you" },
  run: { right: "start", help: "Start an agent: its name, then a message" },
  help: { right: undefined, help: "Show what you can do here" },
  start: { right: undefined, help: "Show what you can do here" },
} as const satisfies Record<string, { right: ChatRight | undefined; help: string }>;

/** Returns a text whose command begins with a slash. `!name` is a command, too, because some apps keep `/name`. */
export function toCommand(text: string): string {
  return text.replace(/^!(?=[a-z]+(?:\s|$))/, "/");
}

/** Returns true if a text is a command. A path such as `/home/ann` is none. */
export function isCommand(text: string): boolean {
  return /^\/\w+(\s|$)/.test(text);
}

/** The name of a command. */
export type CommandName = keyof typeof COMMANDS;

/** The conversations of people in one chat. */
export class Conversations {
  readonly #ports: ChatPorts;
  readonly #questions: Questions;
  readonly #replies: Replies;

  constructor(ports: ChatPorts, parts: { questions: Questions; replies: Replies }) {
    this.#ports = ports;
    this.#questions = parts.questions;
    this.#replies = parts.replies;
  }

  /** Performs a command or starts a run. Returns the reply for the person; undefined if there is none. */
  async hear(
    message: ChatMessage,
    person: ChatPerson,
    signal: AbortSignal,
  ): Promise<Post | undefined> {
    const { commandMark: mark } = this.#ports.app;
    const [, name, rest = ""] = /^\/(\w+)(?:\s+([\s\S]*))?$/.exec(message.text) ?? [];
    if (name === undefined) return await this.#say(message, person, signal);
    if (!Object.hasOwn(COMMANDS, name)) {
      return { text: `There is no command ${mark}${name}. Try ${mark}help.` };
    }
    const command = name as CommandName;
    const { right } = COMMANDS[command];
    if (right !== undefined && !may(person, right)) {
      return { text: `You may not do this: it needs the right to ${RIGHTS[right].meaning}.` };
    }
    switch (command) {
      case "new": {
        const note = { ...await this.#readPerson(message), since: message.key };
        await this.#writePerson(message, note);
        return { text: "This is a new conversation." };
      }
      case "agents":
        return await this.#listAgents(message, person, rest.trim());
      case "run": {
        const [, agentId, text = ""] = /^(\S+)\s*([\s\S]*)$/.exec(rest) ?? [];
        if (agentId === undefined) {
          return { text: `Name the agent: ${mark}run name, then a message.` };
        }
        return await this.#start(message, { agentId, text, person }, signal);
      }
      case "cancel":
        return { text: await this.#cancel(message, person, rest.trim()) };
      case "pending":
        return await this.#showPending(message, signal);
      case "recap":
        return { text: await this.#recap() };
      case "help":
      case "start":
        return { text: describeCommands(person, mark) };
    }
  }

  /** Answers a question with a message, which may contain files. Returns the reply for the person. */
  async answer(
    question: QuestionNote,
    message: ChatMessage,
    { person, signal }: { person: ChatPerson; signal: AbortSignal },
  ): Promise<string> {
    let { text } = message;
    if (question.kind === "input") {
      try {
        const files = await storeFiles(message, this.#ports, signal);
        if (text === "" && files.length === 0) return NOTHING_UNDERSTOOD;
        text = [text, ...describeFiles(files)].join("\n").trimStart();
      } catch (error) {
        if (!(error instanceof AppFailure) || !error.isFinal) throw error;
        return `Not answered: ${error.message}.`;
      }
    }
    return await this.#questions.answer(question, text, person);
  }

  /** Chooses the agent that answers a person. Returns the text for the person. */
  async choose(
    message: Pick<ChatMessage, "place" | "sender">,
    agentId: string,
    person: ChatPerson,
  ): Promise<string> {
    if (!may(person, "start")) return "You may not choose an agent.";
    const agents = await this.#ports.client.agents();
    const agent = agents.find(({ id, enabled }) => id === agentId && enabled);
    if (agent === undefined) {
      return `There is no agent ${agentId}. ${this.#ports.app.commandMark}agents lists them.`;
    }
    await this.#writePerson(message, { ...await this.#readPerson(message), agentId });
    return `${agent.display_name} answers you from now on.`;
  }

  async #say(
    message: ChatMessage,
    person: ChatPerson,
    signal: AbortSignal,
  ): Promise<Post | undefined> {
    const { settings } = this.#ports;
    if (message.text === "" && message.files.length === 0) {
      return { text: NOTHING_UNDERSTOOD };
    }
    const note = await this.#readPerson(message);
    const group = settings()?.groups.find(({ id }) => id === message.place);
    const own = may(person, "start") ? note.agentId : undefined;
    if (!may(person, "chat") && own === undefined) {
      return { text: "You may not talk with the agent of this chat." };
    }
    const agentId = own ?? group?.agent ?? settings()?.agent;
    if (agentId === undefined) {
      return {
        text:
          `No agent answers here: config.yaml names none. ${this.#ports.app.commandMark}agents lists all.`,
      };
    }
    const sessionId = ["chat", settings()?.name, message.place, person.id, note.since].join(":");
    return await this.#start(message, { agentId, text: message.text, sessionId, person }, signal);
  }

  async #start(
    message: ChatMessage,
    { agentId, text, sessionId, person }: {
      agentId: string;
      text: string;
      sessionId?: string;
      person: ChatPerson;
    },
    signal: AbortSignal,
  ): Promise<Post | undefined> {
    const { clientOf, settings } = this.#ports;
    const { place, messageId, isGroup, sender: { id: personId } } = message;
    try {
      const files = await storeFiles(message, this.#ports, signal);
      const { execution_id: id } = await clientOf(person).run(agentId, {
        message: text === "" && files.length > 0 ? "Read the files of this message." : text,
        ...(files.length > 0 && { context: describeFiles(files).join("\n") }),
        ...(sessionId !== undefined && { session_id: sessionId }),
      }, { idempotencyKey: `chat:${settings()?.name}:${message.key}`, signal });
      await this.#replies.expect(id, { place, personId, messageId, isGroup });
      return undefined;
    } catch (error) {
      if (error instanceof AppFailure && error.isFinal) {
        return { text: `Nothing ran: ${error.message}.` };
      }
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      return { text: error.message };
    }
  }

  async #listAgents(message: ChatMessage, person: ChatPerson, wanted: string): Promise<Post> {
    if (wanted !== "") return { text: await this.choose(message, wanted, person) };
    const agents = (await this.#ports.client.agents()).filter(({ enabled }) => enabled)
      .slice(0, MOST_AGENTS);
    if (agents.length === 0) return { text: "There are no agents." };
    const lines = agents.map(({ id, description }) =>
      toVisibleLine(`${id}${description === "" ? "" : `: ${description}`}`)
    );
    const buttons = agents.map(({ id }) => ({ label: id, data: `${CHOOSE}${id}` }))
      .filter(({ data }) => new TextEncoder().encode(data).length <= MAX_DATA);
    return {
      text: ["Who should answer you?", ...lines].join("\n"),
      buttons: buttons.map((one) => [one]),
    };
  }

  async #cancel(message: ChatMessage, person: ChatPerson, wanted: string): Promise<string> {
    const own = (await this.#replies.list()).filter(({ place, personId }) =>
      place === message.place && personId === person.id
    );
    const id = wanted === "" ? own[0]?.id : Number(wanted);
    if (id === undefined) return "Nothing of yours runs here.";
    const isOwn = own.some((run) => run.id === id);
    if (!isOwn && !may(person, "start")) return "You may cancel only your own messages.";
    try {
      const { finished_at: end } = await this.#ports.client.execution(id);
      const { status } = await this.#ports.clientOf(person).cancel(id);
      const isCancelled = end === null && (status === "cancelling" || status === "aborted");
      return `Execution ${id} ${isCancelled ? "is cancelled" : `had already ended: ${status}`}.`;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      return `There is no execution ${wanted}.`;
    }
  }

  async #showPending(message: ChatMessage, signal: AbortSignal): Promise<Post | undefined> {
    const { app, client, settings } = this.#ports;
    const { place, isGroup, sender } = message;
    const waiting = await client.executions({ status: ["waiting"], limit: MOST_AGENTS });
    // The question of a called agent is also that of its caller, and counts as the called agent's.
    const callers = new Set(waiting.map(({ parent_execution_id: parent }) => parent));
    const asking = waiting.filter(({ id, agent_id: agentId }) =>
      !callers.has(id) && (settings()?.agents?.includes(agentId) ?? true)
    );
    const shown = (await this.#questions.list()).filter((note) => note.place === place);
    if (asking.length + shown.length === 0) return { text: "No question is open." };
    for (const { messageId } of shown) {
      await app.send(place, { text: "This question is open.", replyTo: messageId }, signal);
    }
    const personId = isGroup ? null : sender.id;
    await inParallel(asking, {
      size: SHOWN_AT_ONCE,
      work: ({ id }) => this.#questions.show(id, { place, personId }, signal),
    });
    return undefined;
  }

  async #recap(): Promise<string> {
    const recap = await this.#ports.client.recap();
    const runs = countRuns(recap).map(({ count, word }) => `${count} ${word}`).join(", ");
    const { cost_usd: cost, failures, waiting } = recap;
    return [
      `The last 24 hours: ${runs || "no runs"}${cost === null ? "" : `, $${cost.toFixed(2)}`}.`,
      ...failures.map(({ agent_id: agent, count, last_error: error }) =>
        `Failed: ${agent}${count === 1 ? "" : `, ${count} times`}. ${error}`
      ),
      ...waiting.map(({ agent_id: agent, execution_id: id, message }) =>
        `Waits: ${agent}, execution ${id}. ${message}`
      ),
    ].map(toVisibleLine).join("\n");
  }

  async #readPerson(message: Pick<ChatMessage, "place" | "sender">): Promise<PersonNote> {
    return await this.#ports.notes.readNote<PersonNote>(nameOf(message)) ?? { since: "0" };
  }

  async #writePerson(
    message: Pick<ChatMessage, "place" | "sender">,
    note: PersonNote,
  ): Promise<void> {
    await this.#ports.notes.write(nameOf(message), note);
  }
}

function nameOf({ place, sender }: Pick<ChatMessage, "place" | "sender">): string {
  return `person:${place}:${sender.id}`;
}

/** Returns the lines that name the stored files of a message. */
function describeFiles(files: readonly string[]): string[] {
  return files.length === 0 ? [] : ["Files of this message:", ...files];
}

function describeCommands(person: ChatPerson, mark: string): string {
  const commands = Object.entries(COMMANDS).filter(([name, { right }]) =>
    name !== "start" && (right === undefined || may(person, right))
  );
  return [
    may(person, "chat") ? "Write a message, and the agent answers." : "This is Inkling.",
    ...commands.map(([name, { help }]) => `${mark}${name}: ${help}`),
  ].join("\n");
}
