// `inkling chat`: holds a conversation with an agent. Each message is an execution with the same session id.
import { performs } from "../../command_line/command.ts";
import { toShellWord } from "../../command_line/shell_word.ts";
import type { chat } from "../../declarations/agent_commands.ts";
import { formatDuration } from "../../../base/durations.ts";
import { ApiError } from "../../../api/client/client.ts";
import { acceptRun } from "../../runs/accept_run.ts";
import { hasPerson } from "../../prompting/ask_person.ts";
import { type CommandContext, EXIT, type ExitCode, Interrupted } from "../../context/context.ts";
import type { LineSource } from "../../context/input.ts";
import { listenToInterrupts } from "../../prompting/interrupts.ts";
import { formatCost, formatCount, formatPlural } from "../../output/figures.ts";
import { toOneLine } from "../../output/sanitize.ts";
import { shorten } from "../../output/width.ts";
import { openTextView } from "../../output/run/text_view.ts";
import { pickAgent } from "../../prompting/pick_agent.ts";
import { type RunOutcome, watchRun } from "../../runs/watch_run.ts";
import { chooseSession, describeModel, introduce } from "./chat_session.ts";
import { type ChatLine, COMMAND_NAMES, describeCommands, readChatLine } from "./chat_commands.ts";

const PROMPT = "> ";
/** The maximum width of an unknown command in the error message about it. */
const SHOWN_WIDTH = 40;

/** Holds a conversation until the user ends it or the piped input ends. */
export const perform = performs<typeof chat>(async (context, options, { agent }) => {
  const { app } = context;
  const agentId = agent ?? await pickAgent(context, "chat");
  await introduce(context, agentId);
  const session = await chooseSession(context, agentId, options);
  const conversation = new Conversation(context, agentId, session);
  await using lines = await app.input.openLines({ edited: conversation.isInteractive });
  try {
    return await conversation.hold(lines);
  } finally {
    conversation.summarize();
  }
});

/** A line that does not end the chat. */
type TurnLine = Exclude<ChatLine, { kind: "end" }>;

class Conversation {
  readonly isInteractive: boolean;
  readonly #context: CommandContext;
  readonly #agentId: string;
  #sessionId: string;
  readonly #startedAt: number;
  #turns = 0;
  /** The user's last message; undefined in a new conversation. */
  #lastMessage: string | undefined;
  #tokens = 0;
  #costUsd: number | null = null;
  #hasFailed = false;

  constructor(
    context: CommandContext,
    agentId: string,
    session: Awaited<ReturnType<typeof chooseSession>>,
  ) {
    this.#context = context;
    this.#sessionId = session.id;
    this.#lastMessage = session.lastMessage;
    this.#agentId = agentId;
    this.#startedAt = context.app.clock.now();
    this.isInteractive = hasPerson(context);
  }

  async hold(lines: LineSource): Promise<ExitCode> {
    for (;;) {
      const line = await this.#read(lines);
      if (line === "interrupted") return this.isInteractive ? EXIT.ok : EXIT.interrupted;
      // With piped input, exit code 1 reports that a turn has failed.
      if (line === "end") return this.#hasFailed && !this.isInteractive ? EXIT.failed : EXIT.ok;
      const code = await this.#handle(line);
      if (code !== undefined) return code;
    }
  }

  /** Handles a line. Returns an exit code if the chat must end, otherwise undefined. */
  async #handle(line: TurnLine): Promise<ExitCode | undefined> {
    switch (line.kind) {
      case "say":
        return await this.#runTurn(line.text);
      case "help":
        for (const each of describeCommands()) this.#print(each);
        return undefined;
      case "clear":
        this.#sessionId = crypto.randomUUID();
        this.#lastMessage = undefined;
        this.#print("New conversation");
        return undefined;
      case "cost":
        this.#print(this.#figures());
        return undefined;
      case "model":
        this.#print(await describeModel(this.#context, this.#agentId));
        return undefined;
      case "retry":
        if (this.#lastMessage !== undefined) return await this.#runTurn(this.#lastMessage);
        this.#context.output.error("There is no message to send again");
        return undefined;
      case "unknown":
        this.#context.output.error(
          `There is no command "${
            shorten(toOneLine(line.text), SHOWN_WIDTH)
          }". The commands are ${COMMAND_NAMES}. ` +
            `To send a text that begins with a slash, begin it with //`,
        );
        this.#hasFailed = true;
        return undefined;
      default:
        return undefined;
    }
  }

  #figures(): string {
    return [
      formatPlural(this.#turns, "turn"),
      `${formatCount(this.#tokens)} tokens`,
      ...(this.#costUsd === null ? [] : [formatCost(this.#costUsd)]),
      formatDuration(this.#context.app.clock.now() - this.#startedAt),
    ].join(" · ");
  }

  /** Prints the number of turns, tokens, cost and time of the chat, and the command that continues it. */
  summarize(): void {
    this.#print(this.#figures());
    if (this.#lastMessage === undefined) return;
    const words = [this.#agentId, "--session", this.#sessionId].map(toShellWord).join(" ");
    this.#print(toOneLine(`Continue with: inkling chat ${words}`));
  }

  #print(text: string): void {
    const { output } = this.#context;
    if (this.isInteractive) output.detail(output.style.dim(text));
    else output.note(text);
  }

  async #read(lines: LineSource): Promise<TurnLine | "interrupted" | "end"> {
    using interrupts = listenToInterrupts(this.#context.app);
    try {
      const line = await lines.read(PROMPT, { signal: interrupts.first });
      const typed = line === undefined ? undefined : readChatLine(line);
      return typed === undefined || typed.kind === "end" ? "end" : typed;
    } catch (error) {
      if (error instanceof Interrupted) return "interrupted";
      throw error;
    }
  }

  /** Sends a message and prints the answer. Returns an exit code if the chat must end, otherwise undefined. */
  async #runTurn(message: string): Promise<ExitCode | undefined> {
    const { app, output } = this.#context;
    using interrupts = listenToInterrupts(app);
    let outcome: RunOutcome;
    try {
      const { client, accepted } = await acceptRun(
        this.#context,
        { agentId: this.#agentId, body: { message, session_id: this.#sessionId } },
        interrupts,
      );
      using _ = client;
      this.#turns++;
      this.#lastMessage = message;
      outcome = await watchRun({
        app,
        output,
        client,
        executionId: accepted.execution_id,
        view: await openTextView({
          output,
          clock: app.clock,
          isTurn: true,
          asks: this.isInteractive,
        }),
        cancelSignal: interrupts.first,
        leaveSignal: interrupts.second,
        mutesKeys: this.isInteractive && output.live !== undefined,
        questions: this.isInteractive ? "insist" : "leave",
      });
    } catch (error) {
      if (error instanceof Interrupted) {
        return interrupts.second.aborted ? EXIT.interrupted : this.#afterCancelled();
      }
      if (!(error instanceof ApiError)) throw error;
      // The service refused this turn, so the chat can continue.
      output.error(error.message);
      this.#hasFailed = true;
      return undefined;
    }
    return this.#count(outcome);
  }

  #count({ code, totalTokens, costUsd }: RunOutcome): ExitCode | undefined {
    this.#tokens += totalTokens;
    if (costUsd !== null) this.#costUsd = (this.#costUsd ?? 0) + costUsd;
    if (code === EXIT.waiting) return code;
    if (code === EXIT.interrupted) return this.#afterCancelled();
    if (code !== EXIT.ok) this.#hasFailed = true;
    return undefined;
  }

  /**
   * Returns undefined at a terminal, where the chat continues after a cancelled turn. With piped input, Ctrl+C ends the
   * chat.
   */
  #afterCancelled(): ExitCode | undefined {
    return this.isInteractive ? undefined : EXIT.interrupted;
  }
}
