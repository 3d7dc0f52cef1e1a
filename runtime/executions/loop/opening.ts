// Creates the first messages of a run: the system message, the history of earlier runs, and the user turn. `inkling show
// --prompt` shows the same messages. A continued run creates a new system message, because the agent may have been edited.
import { stat } from "node:fs/promises";
import type { Agent } from "../../agents/agent.ts";
import type { Message } from "../../models/message.ts";
import { substitute } from "../../../base/text/substitute.ts";
import { createSystemPrompt, isSamePrompt } from "../../prompt/system_prompt.ts";
import { createUserTurn } from "../../prompt/user_turn.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";
import type { AgentTools } from "../../tools/agent_tools.ts";
import { listSections, memoryPathOf } from "../../tools/memory/memory_file.ts";
import { ToolFailure } from "../../tools/failures/tool_failure.ts";
import type { ExecutionRequest } from "../execution_request.ts";
import type { FirstMessage } from "../record/conversation.ts";
import type { SeededExecution } from "../record/conversation_store.ts";
import { seedHistory } from "./history.ts";
import type { RunPorts } from "./run_ports.ts";
import type { SandboxRoot } from "../../vocabulary/prompt_material.ts";

/** The objects that an opening needs. It calls no model. */
export type OpeningContext = Omit<RunPorts, "families" | "telemetry" | "costOf" | "openModel">;

/** The agent and request of an opening's run. */
interface OpeningSubject {
  request: ExecutionRequest;
  agent: Agent;
  roots: readonly SandboxRoot[];
  tools: AgentTools;
}

/**
 * Returns the first messages of a run in order. Stores nothing. `given` are the stored messages that the request brought: the
 * history, and a user turn with pictures.
 */
export async function createFirstMessages(
  subject: OpeningSubject & { execution: SeededExecution; given?: readonly Message[] },
  ports: OpeningContext,
): Promise<FirstMessage[]> {
  const { given = [], request } = subject;
  const seed = request.brought?.isHistory
    ? given.slice(0, -1)
    : seedHistory(await ports.conversations.readSeed(subject.execution), {
      level: subject.agent.history,
      redactor: ports.redactor,
    });
  const [system, user] = await createOpening(subject, ports);
  return [
    { message: system, seeded: false },
    ...seed.map((message) => ({ message, seeded: true })),
    { message: withPictures(user, given.at(-1)), seeded: false },
  ];
}

/** Returns the user turn with the pictures of the request. */
function withPictures(user: Message, given: Message | undefined): Message {
  if (given?.role !== "user" || user.role !== "user") return user;
  const { content, media } = given;
  return { ...user, content: user.content + content, ...(media && { media }) };
}

/** Creates the system message and the user turn. */
async function createOpening(
  subject: OpeningSubject,
  ports: OpeningContext,
): Promise<[Message, Message]> {
  const { request, agent } = subject;
  const { system, usesArguments } = await createSystem(subject, ports);
  const { cause, message, context } = request;
  const user = createUserTurn({
    trigger: agent.trigger,
    args: request.args,
    argumentsUsed: usesArguments,
    ...(cause !== undefined && { cause }),
    ...(cause?.type === "watch" &&
      { fileExists: ports.facts?.().fileExists ?? await isThere(cause.path) }),
    ...(message !== undefined && { message }),
    ...(context !== undefined && { context }),
  });
  return [system, ports.keyRedactor.redactValue({ role: "user", content: user })];
}

/**
 * Creates the system message of a continued run. Returns undefined if the new one differs from the stored one only in the
 * time.
 */
export async function renewSystem(
  subject: OpeningSubject & { stored: Message },
  ports: OpeningContext,
): Promise<Message | undefined> {
  const { system } = await createSystem(subject, ports);
  return isSamePrompt(system.content, subject.stored.content) ? undefined : system;
}

async function createSystem(
  { request, agent, roots, tools }: OpeningSubject,
  ports: OpeningContext,
): Promise<{ system: Message; usesArguments: boolean }> {
  const task = substitute(agent.body, {
    args: request.args,
    lookup: (name) => ports.settings.environment.get(name),
    isWithheld: (name) => ports.isProviderKey(name),
  });
  if (task.withheld.length > 0) {
    ports.log.write(
      "warn",
      "A key of a model provider or a webhook stays out of the prompt",
      {
        agent: agent.id,
        variables: task.withheld.join(", "),
      },
    );
  }
  const content = createSystemPrompt({
    task: task.text,
    now: ports.clock.now(),
    timeZone: ports.timeZone(),
    roots,
    absent: absentAliases(agent, roots),
    watched: agent.trigger.type === "watch" ? agent.trigger.paths : [],
    memorySections: ports.facts?.().memorySections ??
      await memorySectionsOf(agent, ports.log),
    skills: tools.skills,
    servers: ports.facts?.().servers ?? tools.servers ?? [],
    delegates: delegatesOf(agent, ports),
  });
  return {
    system: ports.keyRedactor.redactValue({ role: "system", content }),
    usesArguments: task.usesArguments,
  };
}

function absentAliases(
  { editorPaths = [] }: Agent,
  roots: readonly SandboxRoot[],
): string[] {
  return editorPaths.map(({ alias }) => alias)
    .filter((alias) => !roots.some((root) => root.alias === alias));
}

function delegatesOf(
  agent: Agent,
  ports: OpeningContext,
): { id: string; description: string }[] {
  return agent.agents.flatMap((id) => {
    const delegate = id === agent.id ? undefined : ports.findAgent(id);
    if (delegate === undefined || !delegate.enabled) return [];
    return [{ id: delegate.id, description: delegate.description }];
  });
}

/** Returns the names of the agent's memory sections. Logs and ignores a memory file that cannot be read. */
async function memorySectionsOf(agent: Agent, log: ServiceLog): Promise<string[]> {
  try {
    return await listSections(memoryPathOf(agent));
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    log.write("warn", error.message, { agent: agent.id });
    return [];
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    // A file that is gone or inaccessible counts as missing, because the agent cannot read it.
    return false;
  }
}
