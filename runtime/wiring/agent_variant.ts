// Creates the variant of an agent for one execution, with another model or from another text.
import type { Agent } from "../agents/agent.ts";
import { modelSchema, readModelText } from "../config/providers.ts";
import { parseAgent } from "../agents/parse_agent.ts";
import type { WorkspaceSettings } from "../config/settings.ts";
import type { ExecutionRequest } from "../executions/execution_request.ts";
import { AgentTextUnusable } from "../executions/refusals.ts";
import { formatDiagnostic } from "../../base/diagnostics.ts";
import { withEditorFolder } from "../tools/files/editor_folder.ts";
import { basename } from "../../base/plain_path.ts";

/**
 * Returns the agent with the model, text or editor's folder of a request. Throws AgentTextUnusable for an invalid agent file
 * or model name, and EditorFolderUnusable.
 */
export function agentVariant(
  agent: Agent,
  { fork, trial, editorFolder }: ExecutionRequest,
  settings: WorkspaceSettings,
): Agent {
  const { agentText = trial?.agentText, model } = fork ?? {};
  if (agentText === undefined && fork === undefined) {
    return withEditorFolder(agent, editorFolder, settings);
  }
  const parsed = agentText === undefined ? agent : parseVariant(agent, agentText, settings);
  // A trial spends the saved file's budget, whatever its own text says.
  const { budget, unpriced } = agent;
  const own = trial === undefined ? parsed : { ...parsed, budget, unpriced };
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
 * Returns the agent with another model, given as `provider/name` or as the name of a model of the agent's provider, and no
 * fallback. Throws AgentTextUnusable for an invalid name.
 */
export function withModel(agent: Agent, written: string): Agent {
  const own = agent.model;
  const { provider = own?.provider, name } = readModelText(written, [own?.provider]);
  const parsed = modelSchema.safeParse({ provider, name });
  if (!parsed.success) {
    throw new AgentTextUnusable(`"${written}" is no model: write provider/name`);
  }
  const { provider: wanted, stream_usage: streamUsage } = parsed.data;
  if (own?.provider !== wanted) return { ...agent, model: { provider: wanted, name, streamUsage } };
  // The agent's connection settings are kept, because the provider is the same. The fallback is never kept.
  const { fallback: _, ...connection } = own;
  return { ...agent, model: { ...connection, name } };
}
