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
import { ApiError, type Client, type StreamFrame } from "../../api/client/client.ts";
import type { PendingBody, RespondBody } from "../../api/schemas/request_schemas.ts";
import { callsOf, textOf } from "../../present/payload.ts";
import { readAnswer } from "../../base/text/answer_words.ts";
import { toQuestionTurn } from "../question_words.ts";
import { isAskedByButton, readBlocks, toOptions } from "./prompt_blocks.ts";
import { EDITOR_FOLDER, toPreviewDiff, toToolCall, withFolder } from "./tool_updates.ts";

/** The maximum number of earlier turns that a loaded session shows. */
const MOST_TURNS = 100;

const NO_SERVERS =
  "Inkling starts no MCP servers of an editor, because the agent's file names its own: " +
  "remove them from the editor's settings for this agent, or add them with inkling mcp add";

/** The agent of an editor, and the client of the service. */
export interface AcpPorts {
  client: Client;
  agentId: string;
  version: string;
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
      await orRefusal(ports.client.agent(ports.agentId));
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
    if (error instanceof ApiError) throw new RequestError(-32_000, error.message);
    throw error;
  }
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
    const { client, agentId } = this.#ports;
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
    if (this.#running !== undefined) await this.#ports.client.cancel(this.#running);
  }

  /** Runs the agent with a prompt, or answers the question of its last turn. */
  async prompt(blocks: readonly ContentBlock[], editor: AgentContext): Promise<PromptResponse> {
    const { client, agentId } = this.#ports;
    const { message, context, pictures } = readBlocks(blocks);
    this.#isCancelled = false;
    try {
      const [{ workspace }, agent] = await Promise.all([client.info(), client.agent(agentId)]);
      const paths = withFolder({ workspace, ...agent.paths }, this.folder);
      const usesFolder = Object.values(agent.paths).includes(EDITOR_FOLDER);
      const asked = await this.#answerWaiting(message);
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
      for (;;) {
        if (this.#isCancelled) await client.cancel(id);
        const end = await this.#follow({ id, after }, { editor, paths });
        if ("stopReason" in end) return end;
        ({ after } = end);
      }
    } finally {
      this.#running = undefined;
    }
  }

  /** Answers the open text question of this conversation. Undefined if there is none. */
  async #answerWaiting(words: string): Promise<{ id: number; after: number } | undefined> {
    const { client, agentId } = this.#ports;
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
    if (response !== undefined) await this.#respond(pending, response);
    return { id: waiting.id, after };
  }

  /**
   * Shows the run's progress until it ends or asks. Returns the end of the prompt, or the frame after which the run goes on
   * because its question was answered.
   */
  async #follow(
    run: { id: number; after: number },
    { editor, paths }: { editor: AgentContext; paths: Readonly<Record<string, string>> },
  ): Promise<PromptResponse | { after: number }> {
    const { client } = this.#ports;
    let sent = "";
    let after = run.after;
    for await (const frame of client.follow(run.id, { after, deltas: true })) {
      after = frame.id ?? after;
      const { event, payload } = frame;
      const content = textOf(payload, "content");
      if (event === "delta") {
        sent = payload["restart"] === true ? content : sent + content;
        await this.#say(editor, "agent_message_chunk", content);
      } else if (event === "ai" || event === "tool_call") {
        if (content.startsWith(sent)) {
          await this.#say(editor, "agent_message_chunk", content.slice(sent.length));
        }
        sent = "";
        for (const call of callsOf(payload)) {
          await this.#update(editor, {
            sessionUpdate: "tool_call",
            status: "pending",
            ...toToolCall(call, paths),
          });
        }
      } else if (event === "tool_result") {
        await this.#update(editor, {
          sessionUpdate: "tool_call_update",
          toolCallId: textOf(payload, "tool_call_id"),
          status: payload["is_error"] === true ? "failed" : "completed",
          rawOutput: content,
        });
      } else if (isThought(frame)) await this.#say(editor, "agent_thought_chunk", content);
      else if (event === "waiting") {
        const isAnswered = await this.#ask(run.id, { editor, paths });
        return isAnswered ? { after } : { stopReason: "end_turn" };
      } else if (event === "complete") return await this.#end(run.id, editor);
      else if (event === "shutdown") throw new RequestError(-32_000, "The service has stopped");
    }
    return { after };
  }

  /** Asks the question of the run: with buttons, or as a message. Returns true if it is answered now. */
  async #ask(
    id: number,
    { editor, paths }: { editor: AgentContext; paths: Readonly<Record<string, string>> },
  ): Promise<boolean> {
    const pending = await this.#ports.client.pending(id);
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
    await this.#respond(
      pending,
      pending.kind === "confirm"
        ? { approved: outcome.optionId === "approve" }
        : { selected: choice === undefined ? [] : [choice] },
    );
    return true;
  }

  async #respond(
    { execution_id: id, request_id }: PendingBody,
    response: RespondBody["response"],
  ): Promise<void> {
    try {
      await this.#ports.client.respond(id, { request_id, response, via: "editor" });
    } catch (error) {
      // Somebody else has answered. The run goes on.
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
    }
  }

  async #end(id: number, editor: AgentContext): Promise<PromptResponse> {
    const { status, error, output_data: output } = await this.#ports.client.execution(id);
    if (this.#isCancelled) return { stopReason: "cancelled" };
    if (status === "aborted" && output !== null) return { stopReason: "max_tokens" };
    if (status !== "success") {
      const reason = error === null ? "" : `: ${error}`;
      await this.#say(editor, "agent_message_chunk", `Run ${id} ended with ${status}${reason}`);
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

function isThought({ payload }: StreamFrame): boolean {
  return payload["kind"] === "reasoning" || payload["kind"] === "notice";
}
