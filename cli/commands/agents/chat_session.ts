// Prepares a chat: prints the agent's name, and selects a new or an earlier conversation.
import type { AgentDetail } from "../../../api/schemas/agent_schemas.ts";
import { type Client, orMissing } from "../../../api/client/client.ts";
import { type CommandContext, commandFailed, misuse } from "../../context/context.ts";
import type { Output } from "../../output/output.ts";
import { sanitize, toOneLine } from "../../output/sanitize.ts";
import { formatLocal } from "../../../present/local_time.ts";
import { hasPerson } from "../../prompting/ask_person.ts";
import { openService } from "../../service/daemon.ts";
import { orUnknownAgent } from "../../context/unknown_agent.ts";

/**
 * Prints the agent's name and model, and a warning if the agent keeps no history. Throws CommandFailure for an unknown
 * agent.
 */
export async function introduce(context: CommandContext, agentId: string): Promise<void> {
  const { app, output } = context;
  using client = await openService(context);
  const agent = await orUnknownAgent(readAgent(client, agentId), { app, client, agentId });
  if (hasPerson(context)) {
    output.detail(
      `${output.style.bold(toOneLine(agent.display_name))} ` +
        output.style.dim(
          toOneLine(
            `· ${modelOf(agent)} · /exit or Ctrl+D ends the chat, Ctrl+C cancels an answer · /help`,
          ),
        ),
    );
  }
  if (agent.history === "off") {
    output.warning(
      `${toOneLine(agentId)} has history: off, so it does not remember earlier messages`,
    );
  }
}

/** Returns a text with the agent's model and the file that sets it. Throws CommandFailure for an unknown agent. */
export async function describeModel(
  context: CommandContext,
  agentId: string,
): Promise<string> {
  using client = await openService(context);
  const { app } = context;
  const agent = await orUnknownAgent(readAgent(client, agentId), { app, client, agentId });
  return toOneLine(`${modelOf(agent)}; to use another one, set model in ${agent.source_path}`);
}

function modelOf({ model_provider: provider, model_name: name }: AgentDetail): string {
  return name === null ? "no model" : `${provider}/${name}`;
}

/**
 * Returns an agent. If the service does not know it, makes the service read the agents folder again and repeats the
 * request.
 */
async function readAgent(client: Client, agentId: string): Promise<AgentDetail> {
  const known = await orMissing(client.agent(agentId));
  if (known !== undefined) return known;
  await client.reload();
  return await client.agent(agentId);
}

/**
 * Returns a new conversation, or the conversation that the options --continue and --session select, with the user's last
 * message. Throws CommandFailure if --continue finds no conversation.
 */
export async function chooseSession(
  context: CommandContext,
  agentId: string,
  options: { continue?: boolean | undefined; session?: string | undefined },
): Promise<{ id: string; lastMessage?: string }> {
  const { output } = context;
  const { session } = options;
  if (session === undefined && options.continue !== true) return { id: crypto.randomUUID() };
  const wanted = session?.trim();
  if (wanted === "") {
    throw misuse("--session needs the id of a conversation");
  }
  using client = await openService(context);
  const query = { agent: agentId, trigger: "chat", session: wanted, limit: 1 } as const;
  const [last] = await client.executions(query);
  if (last === undefined && wanted === undefined) {
    throw commandFailed(
      `There is no conversation with ${toOneLine(agentId)} to continue: ` +
        `inkling chat ${toOneLine(agentId)} starts one`,
    );
  }
  const id = wanted ?? last?.session_id ?? crypto.randomUUID();
  output.note(
    last === undefined
      ? `New conversation: ${toOneLine(id)}`
      : `Continuing conversation ${toOneLine(id)}, last message ${formatLocal(last.started_at)}`,
  );
  if (last === undefined) return { id };
  const { message, output_data: answer, error } = await client.execution(last.id);
  if (hasPerson(context)) await showExchange(output, { message, answer: answer ?? error });
  return { id, ...(message !== null && { lastMessage: message }) };
}

/** Prints the last message of a conversation and its answer. */
async function showExchange(
  output: Output,
  { message, answer }: { message: string | null; answer: string | null },
): Promise<void> {
  if (message !== null) output.detail(output.style.dim(`> ${sanitize(message)}`));
  if (answer === null || output.quiet) return;
  const { ReplyView } = await import("../../output/run/reply_view.ts");
  new ReplyView(output).show(sanitize(answer));
  output.detail("");
}
