// Prepares the run of an execution for the loop: opens the model, the tools and the sandbox, and creates the opening
// messages.
import type { Agent } from "../../agents/agent.ts";
import { refuseTooManyTools } from "../../models/tool_limit.ts";
import { packTerms, toCallTerms } from "../record/call_terms.ts";
import { Conversation } from "../record/conversation.ts";
import type { Execution } from "../execution.ts";
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
  context: Pick<Run, "journal" | "openReply" | "signal" | "delegate"> & { ports: RunPorts },
): Promise<Run> {
  const { execution, request, agent } = subject;
  const { ports, journal, openReply, signal, delegate } = context;
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
      ports.serviceLog.write(level, text, subjectOf(execution));
      await journal.notice(level, text);
    },
  });
  if (tools.sandboxGap !== undefined) {
    ports.serviceLog.write("warn", tools.sandboxGap, subjectOf(execution));
  }
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
      const change = "The agent's prompt has changed: the execution continues with the new one";
      ports.serviceLog.write("info", change, subjectOf(execution));
    }
  }
  const model = await ports.openModel(agent);
  const fallback = (agent.model?.fallback ?? []).map(({ provider, name }) => `${provider}/${name}`);
  const run: Run = {
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
    ...(ports.readPdf && { readPdf: ports.readPdf }),
    conversation,
    leftCalls: new Map(stored.calls.map((call) => [call.position, call])),
    answers: stored.answers,
    delegated: stored.delegated,
    journal,
    openReply,
    costOf: (reply) => ports.costOf(agent, reply, model.id),
    clock: ports.clock,
    timeZone: ports.timeZone,
    telemetry: ports.telemetry,
    withoutKeys: (value) => ports.keyRedactor.redactValue(value),
    redactor: ports.redactor,
    delegate,
    note: (message) => ports.serviceLog.write("info", message, subjectOf(execution)),
    warn: (message) => ports.serviceLog.write("warn", message, subjectOf(execution)),
    signal,
  };
  if (tools.mayHaveChanged !== undefined) {
    run.renewTools = async () => {
      if (current.tools.mayHaveChanged?.() !== true) return;
      await (await loadRenewal()).renewTools(run, current, ports);
    };
  }
  return run;
}

function subjectOf({ id, agentId }: Execution): { execution: number; agent: string } {
  return { execution: id, agent: agentId };
}
