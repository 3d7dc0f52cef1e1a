// Chooses the conversation of a chat, and introduces the agent.
import type { AgentDetail } from "../../../api/schemas/agent_schemas.ts";
import { type Client, orMissing } from "../../../api/client/client.ts";
import type { ExecutionSummary } from "../../../api/schemas/execution_schemas.ts";
import { type CommandContext, CommandFailure, EXIT } from "../../context.ts";
import type { Output } from "../../output/output.ts";
import { sanitise, toOneLine } from "../../output/sanitise.ts";
import { formatLocal } from "../../output/time.ts";
import { hasPerson } from "../../prompting/ask_person.ts";
import { openService } from "../../service/daemon.ts";
import { orUnknownAgent } from "../../unknown_agent.ts";

/** Says who answers. Throws CommandFailure for an agent that is not there, before anything is typed. */
export async function introduce(context: CommandContext, agentId: string): Promise<void> {
  const { app, output } = context;
  using client = await openService(context);
  const agent = await orUnknownAgent(readAgent(client, agentId), { app, client, agentId });
  if (hasPerson(context)) {
    output.detail(
      `${output.style.bold(toOneLine(agent.display_name))} ` +
        output.style.dim(
          toOneLine(
            `· ${modelOf(agent)} · /exit or Ctrl+D ends the chat, Ctrl+C an answer · /help`,
          ),
        ),
    );
  }
  if (agent.history === "off") {
    output.warning(`${toOneLine(agentId)} has history: off, and does not remember what was said`);
  }
}

/** Returns the agent's model and the file that sets it. Throws CommandFailure for an agent that is gone. */
export async function describeModel(
  context: CommandContext,
  agentId: string,
): Promise<string> {
  using client = await openService(context);
  const { app } = context;
  const agent = await orUnknownAgent(readAgent(client, agentId), { app, client, agentId });
  return toOneLine(`${modelOf(agent)}; another one is set by model in ${agent.source_path}`);
}

function modelOf({ model_provider: provider, model_name: name }: AgentDetail): string {
  return name === null ? "no model" : `${provider}/${name}`;
}

/** The agent, whose file may be newer than the service's last look at the folder: as for a run, that looks again. */
async function readAgent(client: Client, agentId: string): Promise<AgentDetail> {
  const known = await orMissing(client.agent(agentId));
  if (known !== undefined) return known;
  await client.reload();
  return await client.agent(agentId);
}

/** A conversation that is begun or continued. */
export interface ChatSession {
  id: string;
  /** The person's last message; absent in a new conversation. */
  lastMessage?: string;
}

/** The conversation that is meant: one from before, or a new one. Throws CommandFailure where there is none to go on with. */
export async function chooseSession(
  context: CommandContext,
  agentId: string,
  options: { continue?: boolean | undefined; session?: string | undefined },
): Promise<ChatSession> {
  const { output } = context;
  const { session } = options;
  if (session === undefined && options.continue !== true) return { id: crypto.randomUUID() };
  const wanted = session?.trim();
  if (wanted === "") {
    throw new CommandFailure(EXIT.usage, "--session needs the id of a conversation");
  }
  using client = await openService(context);
  const last = await findTurn(client, agentId, wanted);
  if (last === undefined && wanted === undefined) {
    throw new CommandFailure(
      EXIT.failed,
      `There is no conversation with ${toOneLine(agentId)} to continue: ` +
        `inkling chat ${toOneLine(agentId)} begins one`,
    );
  }
  const id = wanted ?? last?.session_id ?? crypto.randomUUID();
  output.note(
    last === undefined
      ? `Begins the conversation ${toOneLine(id)}: nothing has been said in it yet`
      : `Continues the conversation ${toOneLine(id)}, last at ` +
        formatLocal(last.started_at),
  );
  if (last === undefined) return { id };
  const { message, output_data: answer, error } = await client.execution(last.id);
  if (hasPerson(context)) await showExchange(output, { message, answer: answer ?? error });
  return { id, ...(message !== null && { lastMessage: message }) };
}

/** Shows the last message and its answer. */
async function showExchange(
  output: Output,
  { message, answer }: { message: string | null; answer: string | null },
): Promise<void> {
  if (message !== null) output.detail(output.style.dim(`> ${sanitise(message)}`));
  if (answer === null || output.quiet) return;
  const { ReplyView } = await import("../../output/run/reply_view.ts");
  new ReplyView(output).show(sanitise(answer));
  output.detail("");
}

/** The last turn of a conversation, or of any chat with the agent. */
async function findTurn(
  client: Client,
  agentId: string,
  sessionId: string | undefined,
): Promise<ExecutionSummary | undefined> {
  const [turn] = await client.executions({
    agent: agentId,
    trigger: "chat",
    session: sessionId,
    limit: 1,
  });
  return turn;
}
