// Prepares the run of an execution for the loop: opens the model, the tools and the sandbox, and creates the opening
// messages.
import type { Agent } from "../../agents/agent.ts";
import { refuseTooManyTools } from "../../models/tool_limit.ts";
import { packTerms, toCallTerms } from "../record/call_terms.ts";
import { Conversation } from "../record/conversation.ts";
import type { StoredConversation } from "../record/conversation_store.ts";
import type { StoredRun } from "../record/execution_reads.ts";
import { createFirstMessages, renewSystem } from "./opening.ts";
import type { Run } from "./run.ts";
import type { RunPorts } from "./run_ports.ts";
import { lazyModule } from "../../../base/lazy_module.ts";
import type { OpenedTools } from "./renew_tools.ts";

const loadRenewal = lazyModule(() => import("./renew_tools.ts"));

const NO_CONVERSATION: StoredConversation = {
  messages: [],
  calls: [],
  answers: new Map(),
  delegated: new Set(),
};

/**
 * Returns the prepared run of an execution. Stores and logs the opening of a new conversation. For a stored conversation,
 * stores and logs the system message if it has changed.
 */
export async function prepareRun(
  subject: StoredRun & { agent: Agent },
  context: Pick<Run, "journal" | "signal" | "delegate"> & { ports: RunPorts },
): Promise<Run> {
  const { execution, request, agent } = subject;
  const { ports, journal, signal, delegate } = context;
  const write = (level: "info" | "warn", text: string) =>
    ports.log.write(level, text, { execution: execution.id, agent: execution.agentId });
  const format = await ports.openFormat(agent);
  const stored = subject.isFresh
    ? NO_CONVERSATION
    : await ports.conversations.readConversation(execution.id);
  const conversation = new Conversation(stored.messages);
  const sandbox = await ports.openSandbox(agent, {
    lineage: execution.parentExecutionId === null
      ? [{ executionId: execution.id, agentId: execution.agentId }]
      : await ports.families.readLineage(execution.id),
    ...(request.cause !== undefined && { cause: request.cause }),
  });
  const tools = await ports.openTools(agent, {
    signal,
    async report(level, text) {
      write(level, text);
      await journal.notice(level, text);
    },
  });
  if (tools.sandboxGap !== undefined) write("warn", tools.sandboxGap);
  refuseTooManyTools(agent.model, tools.toolbox.names().length);
  const opened = { request, agent, roots: await sandbox.roots(), tools };
  const callTerms = toCallTerms(agent, tools.toolbox);
  const packed = await packTerms(callTerms);
  const current: OpenedTools = { tools, callTerms, packed };
  const first = stored.messages[0];
  if (first?.message.role !== "system") {
    const given = stored.messages.map(({ message }) => message);
    const messages = await createFirstMessages({ ...opened, execution, given }, ports);
    const opening = messages.map((one, position) => ({ ...one, position }));
    await journal.begin(opening, packed, { replacesGiven: given.length > 0 });
    for (const message of opening) conversation.add(message);
  } else {
    const renewed = await renewSystem({ ...opened, stored: first.message }, ports);
    if (renewed !== undefined) {
      const placed = { position: first.position, message: renewed };
      await journal.replaceSystem(placed);
      conversation.add(placed);
      write("info", "The agent's prompt has changed: the execution continues with the new one");
    }
  }
  const model = await ports.openModel(agent);
  const fallback = (agent.model?.fallback ?? []).map(({ provider, name }) => `${provider}/${name}`);
  const run: Run = {
    ...ports,
    execution,
    agent,
    model,
    format,
    toolbox: tools.toolbox,
    terms: async () => {
      const { callTerms, packed } = current;
      const settings = { ...callTerms.settings, model: model.id };
      return fallback.includes(model.id) ? await packTerms({ ...callTerms, settings }) : packed;
    },
    sandbox,
    conversation,
    leftCalls: new Map(stored.calls.map((call) => [call.position, call])),
    answers: stored.answers,
    delegated: stored.delegated,
    journal,
    delegate,
    note: (message) => write("info", message),
    warn: (message) => write("warn", message),
    signal,
  };
  if (tools.mayHaveChanged !== undefined) {
    run.renewTools = async () => {
      if (current.tools.mayHaveChanged?.() !== true) return;
      await (await loadRenewal()).renewTools(run, current);
    };
  }
  return run;
}
