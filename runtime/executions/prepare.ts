// From an accepted execution to a run that the loop can take: model, tools, sandbox, opening messages.
import type { Agent } from "../agents/agent.ts";
import type { Clock } from "../clock.ts";
import type { Environment } from "../config/environment.ts";
import type { Redactor } from "../events/redactor.ts";
import type { Message } from "../models/message.ts";
import type { Model, ModelReply } from "../models/model.ts";
import { createSystemPrompt } from "../prompt/system_prompt.ts";
import { substitute } from "../prompt/substitute.ts";
import { createUserTurn } from "../prompt/user_turn.ts";
import type { ServiceLog } from "../service_log.ts";
import { listSections, memoryPathOf } from "../tools/memory/memory_file.ts";
import { ToolFailure } from "../tools/tool_failure.ts";
import type { PathSandbox, SandboxRoot } from "../tools/path_sandbox.ts";
import type { Toolbox } from "../tools/toolbox.ts";
import { Conversation } from "./conversation.ts";
import type { Execution } from "./execution.ts";
import type { ExecutionRequest } from "./execution_request.ts";
import type { ExecutionStore } from "./execution_store.ts";
import { seedHistory } from "./history.ts";
import type { Journal } from "./journal.ts";
import type { Run } from "./run.ts";

/** What a run is made with. */
export interface RunPorts {
  store: ExecutionStore;
  clock: Clock;
  environment: Environment;
  serviceLog: ServiceLog;
  /** IANA name of the local zone. */
  timeZone: string;
  /** The model of an agent. Throws ModelError with what is missing. */
  openModel(agent: Agent): Promise<Model>;
  /** What a reply of this agent's model cost; null where no price is known. */
  costOf(agent: Agent, reply: ModelReply): Promise<number | null>;
  openToolbox(agent: Agent): Promise<Toolbox>;
  openSandbox(agent: Agent): PathSandbox;
  /** Takes keys of model providers out of what is about to become part of a conversation. */
  keyRedactor: Redactor;
  /** Whether a variable holds a key of a model provider, which no prompt may contain. */
  isProviderKey(name: string): boolean;
}

/** Builds a run; where nothing is stored of its conversation yet, stores and logs the opening. */
export async function prepareRun(
  subject: { execution: Execution; request: ExecutionRequest; agent: Agent },
  context: { ports: RunPorts; journal: Journal; signal: AbortSignal },
): Promise<Run> {
  const { execution, request, agent } = subject;
  const { ports, journal, signal } = context;
  const stored = await ports.store.readConversation(execution.id);
  const conversation = new Conversation(stored.messages);
  const sandbox = ports.openSandbox(agent);
  if (conversation.isEmpty) {
    const seed = seedHistory(await ports.store.readSeed(execution), agent.history);
    const [system, user] = openingTurns({
      request,
      agent,
      roots: await sandbox.roots(),
      memorySections: await memorySectionsOf(agent, ports),
    }, ports);
    const opening = [
      { message: system, seeded: false },
      ...seed.map((message) => ({ message, seeded: true })),
      { message: user, seeded: false },
    ].map((one, position) => ({ ...one, position }));
    await journal.begin(opening);
    for (const message of opening) conversation.add(message);
  }
  return {
    execution,
    agent,
    model: await ports.openModel(agent),
    toolbox: await ports.openToolbox(agent),
    sandbox,
    conversation,
    leftCalls: new Map(stored.calls.map((call) => [call.position, call])),
    answers: stored.answers,
    journal,
    costOf: (reply) => ports.costOf(agent, reply),
    clock: ports.clock,
    withoutKeys: (value) => ports.keyRedactor.redactValue(value),
    warn: (message) =>
      ports.serviceLog.write("warn", message, { execution: execution.id, agent: agent.id }),
    signal,
  };
}

/** What the agent remembers, by name. A memory file that cannot be read keeps no run from starting. */
async function memorySectionsOf(agent: Agent, ports: RunPorts): Promise<string[]> {
  try {
    return await listSections(memoryPathOf(agent));
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    ports.serviceLog.write("warn", error.message, { agent: agent.id });
    return [];
  }
}

function openingTurns(
  subject: {
    request: ExecutionRequest;
    agent: Agent;
    roots: readonly SandboxRoot[];
    memorySections: readonly string[];
  },
  ports: RunPorts,
): [Message, Message] {
  const { request, agent, roots, memorySections } = subject;
  const task = substitute(agent.body, {
    args: request.args,
    lookup: (name) => ports.environment.get(name),
    isWithheld: (name) => ports.isProviderKey(name),
  });
  if (task.withheld.length > 0) {
    ports.serviceLog.write("warn", "A key of a model provider stays out of the prompt", {
      agent: agent.id,
      variables: task.withheld.join(", "),
    });
  }
  const system = createSystemPrompt({
    task: task.text,
    now: ports.clock.now(),
    timeZone: ports.timeZone,
    roots,
    memorySections,
  });
  const user = createUserTurn({
    trigger: agent.trigger,
    args: request.args,
    argumentsUsed: task.usesArguments,
    ...(request.message === undefined ? {} : { message: request.message }),
    ...(request.context === undefined ? {} : { context: request.context }),
  });
  return ports.keyRedactor.redactValue([
    { role: "system", content: system },
    { role: "user", content: user },
  ]);
}
