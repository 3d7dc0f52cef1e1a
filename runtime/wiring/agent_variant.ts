// Creates the variant of an agent for one execution, with another model or from another text.
import type { Agent, ModelSettings } from "../agents/agent.ts";
import { modelSchema } from "../config/providers.ts";
import { parseAgent } from "../agents/parse_agent.ts";
import type { WorkspaceSettings } from "../config/settings.ts";
import type { ExecutionRequest } from "../executions/execution_request.ts";
import { AgentTextUnusable } from "../executions/refusals.ts";
import { formatDiagnostic } from "../../base/diagnostics.ts";
import { basename } from "../../base/plain_path.ts";

/**
 * Returns the agent with the model or text of a request. Throws AgentTextUnusable for an invalid agent file or model name.
 */
export function agentVariant(
  agent: Agent,
  { fork }: ExecutionRequest,
  settings: WorkspaceSettings,
): Agent {
  if (fork === undefined) return agent;
  const { agentText, model } = fork;
  const own = agentText === undefined ? agent : parseVariant(agent, agentText, settings);
  return model === undefined ? own : withModel(own, model);
}

/** Parses a text in place of the agent's file. The variant keeps the agent's id, memory and relative paths. */
function parseVariant(agent: Agent, text: string, settings: WorkspaceSettings): Agent {
  const { directories, home, config } = settings;
  const source = { path: agent.sourcePath, bytes: new TextEncoder().encode(text) };
  const parsed = parseAgent(source, { directories, home, config });
  if ("agent" in parsed) return parsed.agent;
  const problems = parsed.diagnostics.filter(({ severity }) => severity === "error")
    .map((one) => formatDiagnostic({ ...one, path: basename(one.path) }));
  throw new AgentTextUnusable(`The agent file cannot be used:\n${problems.join("\n")}`);
}

/**
 * Returns the agent with another model, given as `provider/name`, and no fallback. Throws AgentTextUnusable for an
 * invalid name.
 */
export function withModel(agent: Agent, written: string): Agent {
  const model = parseModelName(written);
  if (model === undefined) {
    throw new AgentTextUnusable(`"${written}" is no model: write provider/name`);
  }
  const { provider, name } = model;
  // The agent's connection settings are kept only if the provider is the same. The fallback is never kept.
  const { fallback: _, ...own } = agent.model ?? model;
  return { ...agent, model: own.provider === provider ? { ...own, name } : model };
}

/** Parses a model name `provider/name`. Returns undefined for an invalid name. */
export function parseModelName(written: string): ModelSettings | undefined {
  const slash = written.indexOf("/");
  const [provider, name] = [written.slice(0, Math.max(0, slash)), written.slice(slash + 1)];
  const parsed = modelSchema.safeParse({ provider, name });
  if (slash < 0 || !parsed.success) return undefined;
  return { provider, name, streamUsage: parsed.data.stream_usage };
}
