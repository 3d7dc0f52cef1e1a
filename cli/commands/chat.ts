// chat: a conversation, line by line. Each line is an execution of the same session.
import { formatDuration } from "../../base/durations.ts";
import type { AgentDetail } from "../../server/schemas/agent_schemas.ts";
import { ApiError, type Client } from "../../server/client.ts";
import { acceptRun } from "../runs/accept_run.ts";
import { hasPerson } from "../prompting/ask_person.ts";
import type { CommandContext } from "../context.ts";
import { openService } from "../service/daemon.ts";
import { EXIT, type ExitCode, Interrupted } from "../exit.ts";
import type { LineSource } from "../prompting/input.ts";
import { listenToInterrupts } from "../prompting/interrupts.ts";
import { formatCost, formatCount, formatPlural } from "../output/figures.ts";
import { toOneLine } from "../output/sanitise.ts";
import { openTextView } from "../output/run/text_view.ts";
import { pickAgent } from "../prompting/pick_agent.ts";
import { orUnknownAgent } from "../unknown_agent.ts";
import { type RunOutcome, watchRun } from "../runs/watch_run.ts";

const PROMPT = "> ";
const GOODBYES: ReadonlySet<string> = new Set(["/exit", "/quit"]);

/** Talks with an agent until the person, or the pipe that speaks for them, has no more to say. */
export async function chat(
  context: CommandContext,
  agent: string | undefined,
): Promise<ExitCode> {
  const { app } = context;
  const agentId = agent ?? await pickAgent(context, "chat");
  await introduce(context, agentId);
  const conversation = new Conversation(context, agentId);
  await using lines = await app.input.openLines({ edited: conversation.isInteractive });
  try {
    return await conversation.hold(lines);
  } finally {
    conversation.summarise();
  }
}

/** Says who answers. Throws CommandFailure for an agent that is not there, before anything is typed. */
async function introduce(context: CommandContext, agentId: string): Promise<void> {
  const { app, output } = context;
  using client = await openService(context);
  const agent = await orUnknownAgent(readAgent(client, agentId), { app, client, agentId });
  if (hasPerson(context)) {
    const model = agent.model_name === null
      ? "no model"
      : `${agent.model_provider}/${agent.model_name}`;
    output.detail(
      `${output.style.bold(toOneLine(agent.display_name))} ` +
        output.style.dim(
          toOneLine(`· ${model} · /exit or Ctrl+D ends the chat, Ctrl+C an answer`),
        ),
    );
  }
  if (agent.history === "off") {
    output.warning(`${toOneLine(agentId)} has history: off, and does not remember what was said`);
  }
}

/** The agent, whose file may be newer than the service's last look at the folder: as for a run, that looks again. */
async function readAgent(client: Client, agentId: string): Promise<AgentDetail> {
  try {
    return await client.agent(agentId);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    await client.reload();
    return await client.agent(agentId);
  }
}

class Conversation {
  readonly isInteractive: boolean;
  readonly #context: CommandContext;
  readonly #agentId: string;
  readonly #sessionId = crypto.randomUUID();
  readonly #startedAt: number;
  #turns = 0;
  #tokens = 0;
  #costUsd: number | null = null;
  #hasFailed = false;

  constructor(context: CommandContext, agentId: string) {
    this.#context = context;
    this.#agentId = agentId;
    this.#startedAt = context.app.clock.now();
    this.isInteractive = hasPerson(context);
  }

  async hold(lines: LineSource): Promise<ExitCode> {
    for (;;) {
      const line = await this.#read(lines);
      if (line === "interrupted") return this.isInteractive ? EXIT.ok : EXIT.interrupted;
      // Whoever reads from a pipe does not see the error when it happens: the exit code reports it.
      if (line === "end") return this.#hasFailed && !this.isInteractive ? EXIT.failed : EXIT.ok;
      if (line.text === "") continue;
      const code = await this.#takeTurn(line.text);
      if (code !== undefined) return code;
    }
  }

  summarise(): void {
    const { app, output } = this.#context;
    const summary = [
      formatPlural(this.#turns, "turn"),
      `${formatCount(this.#tokens)} tokens`,
      ...(this.#costUsd === null ? [] : [formatCost(this.#costUsd)]),
      formatDuration(app.clock.now() - this.#startedAt),
    ].join(" · ");
    if (this.isInteractive) output.detail(output.style.dim(summary));
    else output.note(summary);
  }

  async #read(lines: LineSource): Promise<{ text: string } | "interrupted" | "end"> {
    using interrupts = listenToInterrupts(this.#context.app);
    try {
      const line = await lines.read(PROMPT, { signal: interrupts.first });
      const text = line?.trim();
      return text === undefined || GOODBYES.has(text) ? "end" : { text };
    } catch (error) {
      if (error instanceof Interrupted) return "interrupted";
      throw error;
    }
  }

  /** One question and its answer. A code: the chat is over. */
  async #takeTurn(message: string): Promise<ExitCode | undefined> {
    const { app, output } = this.#context;
    using interrupts = listenToInterrupts(app);
    let outcome: RunOutcome;
    try {
      const { client, accepted } = await acceptRun(
        this.#context,
        { agentId: this.#agentId, body: { message, session_id: this.#sessionId } },
        { signal: interrupts.first, leaveSignal: interrupts.second },
      );
      using _ = client;
      this.#turns++;
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
      // The service refuses this turn; another may do.
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

  /** A person continues with the next line; a pipe has nobody who could have meant this answer only. */
  #afterCancelled(): ExitCode | undefined {
    return this.isInteractive ? undefined : EXIT.interrupted;
  }
}
