// An agent as one execution wants it: with another model, or as another text says.
import type { Agent, ModelSettings } from "../agents/agent.ts";
import { modelSchema } from "../config/providers.ts";
import { parseAgent } from "../agents/parse_agent.ts";
import type { WorkspaceSettings } from "../config/settings.ts";
import type { ExecutionRequest } from "../executions/execution_request.ts";
import { AgentTextUnusable } from "../executions/refusals.ts";
import { formatDiagnostic } from "../../base/diagnostics.ts";
import { PATHS } from "../../base/plain_path.ts";

/** The agent that a request means. Throws AgentTextUnusable for a text that is no agent file, or a model without a name. */
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

/** In the place of the agent's file: its id, its memory and its relative paths stay. */
function parseVariant(agent: Agent, text: string, settings: WorkspaceSettings): Agent {
  const { directories, home, config } = settings;
  const source = { path: agent.sourcePath, bytes: new TextEncoder().encode(text) };
  const parsed = parseAgent(source, { directories, home, config });
  if ("agent" in parsed) return parsed.agent;
  const problems = parsed.diagnostics.filter(({ severity }) => severity === "error")
    .map((one) => formatDiagnostic({ ...one, path: PATHS.basename(one.path) }));
  throw new AgentTextUnusable(`The agent file cannot be used:\n${problems.join("\n")}`);
}

/** The agent with another model, written `provider/name`, and no fallback: it is that model or none. Throws AgentTextUnusable for what is none. */
export function withModel(agent: Agent, written: string): Agent {
  const model = parseModelName(written);
  if (model === undefined) {
    throw new AgentTextUnusable(`"${written}" is no model: write provider/name`);
  }
  const { provider, name } = model;
  // How it is reached belongs to the provider.
  const { fallback: _, ...own } = agent.model ?? model;
  return { ...agent, model: own.provider === provider ? { ...own, name } : model };
}

/** The model that is written `provider/name`; undefined for what is none. */
export function parseModelName(written: string): ModelSettings | undefined {
  const slash = written.indexOf("/");
  const [provider, name] = [written.slice(0, Math.max(0, slash)), written.slice(slash + 1)];
  const parsed = modelSchema.safeParse({ provider, name });
  if (slash < 0 || !parsed.success) return undefined;
  return { provider, name, streamUsage: parsed.data.stream_usage };
}
