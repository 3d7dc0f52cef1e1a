// Speaks the Agent Client Protocol with an editor: a session is a conversation with one agent.
import {
  agent as createApp,
  type AgentApp,
  type AgentContext,
  type ContentBlock,
  type LoadSessionRequest,
  methods,
  type PromptResponse,
  PROTOCOL_VERSION,
  RequestError,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { ApiError, type Client, ServiceUnreachable } from "../../api/client/client.ts";
import type { ExecutionDetail } from "../../api/schemas/execution_schemas.ts";
import type { PendingBody } from "../../api/schemas/request_schemas.ts";
import type { Clock } from "../../base/clock.ts";
import { readAnswer } from "../../base/text/answer_words.ts";
import { endCodeOf } from "../../runtime/vocabulary/end_reason.ts";
import { giveAnswer, toQuestionTurn } from "../question_words.ts";
import { followRun, type RunPlace } from "../run_events.ts";
import { isAskedByButton, readBlocks, toOptions } from "./prompt_blocks.ts";
import { EDITOR_FOLDER, toPreviewDiff, toToolCall, withFolder } from "./tool_updates.ts";

/** The maximum number of earlier turns that a loaded session shows. */
const MOST_TURNS = 100;

const NO_SERVERS =
  "Inkling starts no MCP servers of an editor, because the agent's file names its own: " +
  "remove them from the editor's settings for this agent, or add them with inkling mcp add";

/** The agent of an editor, and the way to the service. */
export interface AcpPorts {
  /** Returns a client of the running service, which the caller disposes. Starts the service if it does not run. */
  open(): Promise<Client>;
  agentId: string;
  version: string;
  clock: Clock;
}

/** Creates the agent's side of a connection. */
export function createAcpAgent(ports: AcpPorts): AgentApp {
  const sessions = new Map<string, Session>();
  const open = ({ sessionId: id, cwd, mcpServers }: LoadSessionRequest) => {
    if (mcpServers.length > 0) throw RequestError.invalidParams(undefined, NO_SERVERS);
    const session = sessions.get(id) ?? new Session(id, ports);
    session.folder = cwd;
    sessions.set(id, session);
    return session;
  };
  return createApp({ name: "inkling" })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: "inkling", version: ports.version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, embeddedContext: true },
      },
      authMethods: [],
    }))
    .onRequest(methods.agent.session.new, async ({ params }) => {
      using service = await ports.open();
      await orRefusal(service.agent(ports.agentId));
      const sessionId = crypto.randomUUID();
      open({ ...params, sessionId });
      return { sessionId };
    })
    .onRequest(methods.agent.session.load, async ({ params, client }) => {
      await orRefusal(open(params).show(client));
      return {};
    })
    .onRequest(
      methods.agent.session.prompt,
      async ({ params: { sessionId, prompt }, client }) => {
        const session = sessions.get(sessionId);
        if (session === undefined) throw RequestError.resourceNotFound(sessionId);
        return await orRefusal(session.prompt(prompt, client));
      },
    )
    .onNotification(methods.agent.session.cancel, async ({ params }) => {
      await sessions.get(params.sessionId)?.cancel();
    });
}

/** Converts a refusal of the service to an error of the protocol. */
async function orRefusal<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ApiError || error instanceof ServiceUnreachable) {
      throw new RequestError(-32_000, error.message);
    }
    throw error;
  }
}

/** The clients of both sides, and the agent's folders by alias. */
interface View {
  client: Client;
  editor: AgentContext;
  paths: Readonly<Record<string, string>>;
}

/** One conversation of an editor with the agent. */
class Session {
  /** The absolute path of the folder that is open in the editor. */
  folder = "";
  readonly #id: string;
  readonly #ports: AcpPorts;
  /** The execution of the current prompt. */
  #running: number | undefined;
  #isCancelled = false;

  constructor(id: string, ports: AcpPorts) {
    this.#id = id;
    this.#ports = ports;
  }

  /** Sends the earlier turns of the stored conversation. */
  async show(editor: AgentContext): Promise<void> {
    const { agentId } = this.#ports;
    using client = await this.#ports.open();
    const turns = await client.executions({
      agent: agentId,
      session: this.#id,
      limit: MOST_TURNS,
    });
    for (const { id } of turns.toReversed()) {
      const { message, output_data: answer, error } = await client.execution(id);
      await this.#say(editor, "user_message_chunk", message ?? "");
      await this.#say(editor, "agent_message_chunk", answer ?? error ?? "");
    }
  }

  /** Cancels the run of the current prompt. */
  async cancel(): Promise<void> {
    this.#isCancelled = true;
    if (this.#running === undefined) return;
    using client = await this.#ports.open();
    await client.cancel(this.#running);
  }

  /** Runs the agent with a prompt, or answers the question of its last turn. */
  async prompt(blocks: readonly ContentBlock[], editor: AgentContext): Promise<PromptResponse> {
    const { agentId } = this.#ports;
    const { message, context, pictures } = readBlocks(blocks);
    this.#isCancelled = false;
    // A service that nobody uses stops. An editor runs for longer.
    using client = await this.#ports.open();
    try {
      const [{ workspace }, agent] = await Promise.all([client.info(), client.agent(agentId)]);
      const paths = withFolder({ workspace, ...agent.paths }, this.folder);
      const usesFolder = Object.values(agent.paths).includes(EDITOR_FOLDER);
      const asked = await this.#answerWaiting(message, client);
      let { id, after } = asked ?? { id: 0, after: 0 };
      if (asked === undefined) {
        const run = await client.run(agentId, {
          message,
          pictures,
          session_id: this.#id,
          ...(context !== "" && { context }),
          ...(usesFolder && { editor_folder: this.folder }),
        });
        id = run.execution_id;
      }
      this.#running = id;
      if (this.#isCancelled) await client.cancel(id);
      return await this.#follow({ id, after }, { client, editor, paths });
    } finally {
      this.#running = undefined;
    }
  }

  /** Answers the open text question of this conversation. Undefined if there is none. */
  async #answerWaiting(words: string, client: Client): Promise<RunPlace | undefined> {
    const { agentId } = this.#ports;
    const [waiting] = await client.executions({
      agent: agentId,
      session: this.#id,
      status: ["waiting"],
      limit: 1,
    });
    if (waiting === undefined) return undefined;
    const after = (await client.messages(waiting.id)).at(-1)?.id ?? 0;
    const pending = await client.pending(waiting.id);
    const response = isAskedByButton(pending) ? undefined : readAnswer(pending, words);
    if (response !== undefined) await giveAnswer(client, pending, { response, via: "editor" });
    return { id: waiting.id, after };
  }

  /** Shows the run's progress until it ends, or asks a question that the next message answers. */
  async #follow(run: RunPlace, view: View): Promise<PromptResponse> {
    const { client, editor, paths } = view;
    const restarts = this.#ports.clock;
    for await (const event of followRun(client, run, { deltas: true, restarts })) {
      if (event.type === "text") await this.#say(editor, "agent_message_chunk", event.text);
      else if (event.type === "reasoning") {
        await this.#say(editor, "agent_thought_chunk", event.text);
      } else if (event.type === "call") {
        await this.#update(editor, {
          sessionUpdate: "tool_call",
          status: "pending",
          ...toToolCall(event.call, paths),
        });
      } else if (event.type === "result") {
        await this.#update(editor, {
          sessionUpdate: "tool_call_update",
          toolCallId: event.id,
          status: event.isError ? "failed" : "completed",
          rawOutput: event.content,
        });
      } else if (event.type === "waiting") {
        if (!await this.#ask(event.question, view)) return { stopReason: "end_turn" };
        if (this.#isCancelled) await client.cancel(run.id);
      } else if (event.type === "end") return await this.#end(event.execution, editor);
    }
    throw new TypeError("A run ends with an event");
  }

  /** Asks the question of the run: with buttons, or as a message. Returns true if it is answered now. */
  async #ask(pending: PendingBody, { editor, paths }: View): Promise<boolean> {
    if (!isAskedByButton(pending)) {
      await this.#say(
        editor,
        "agent_message_chunk",
        toQuestionTurn({ ...pending, open_to_programs: true }),
      );
      return false;
    }
    const { outcome } = await editor.request(methods.client.session.requestPermission, {
      sessionId: this.#id,
      toolCall: {
        toolCallId: pending.request_id,
        title: pending.message,
        status: "pending",
        rawInput: pending.tool_args,
        content: toPreviewDiff(pending, paths),
      },
      options: toOptions(pending),
    });
    if (outcome.outcome === "cancelled") {
      this.#isCancelled = true;
      return true;
    }
    const choice = pending.options?.[Number(outcome.optionId)];
    const response = pending.kind === "confirm"
      ? { approved: outcome.optionId === "approve" }
      : { selected: choice === undefined ? [] : [choice] };
    // The person may have needed hours.
    using client = await this.#ports.open();
    await giveAnswer(client, pending, { response, via: "editor" });
    return true;
  }

  async #end(
    execution: ExecutionDetail,
    editor: AgentContext,
  ): Promise<PromptResponse> {
    if (this.#isCancelled) return { stopReason: "cancelled" };
    if (endCodeOf(execution) === "max_tokens") return { stopReason: "max_tokens" };
    const { id, status, error, output_data: output } = execution;
    if (status !== "success") {
      const reason = error === null ? "" : `: ${error}`;
      const ended = `Run ${id} ended with ${status}${reason}`;
      await this.#say(editor, "agent_message_chunk", output === null ? ended : `\n\n${ended}`);
    }
    return { stopReason: "end_turn" };
  }

  async #say(
    editor: AgentContext,
    sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk",
    text: string,
  ): Promise<void> {
    if (text === "") return;
    await this.#update(editor, { sessionUpdate, content: { type: "text", text } });
  }

  async #update(editor: AgentContext, update: SessionUpdate): Promise<void> {
    await editor.notify(methods.client.session.update, { sessionId: this.#id, update });
  }
}
