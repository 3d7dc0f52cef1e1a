// The operation behind `inkling validate`: finds the files of a target and returns their problems.
import { basename, join, resolve } from "../../base/plain_path.ts";
import { openAgentValidation } from "./agent_validation.ts";
import { diagnoseChats } from "./validate_chats.ts";
import { readAgentFile } from "../../runtime/agents/agent_file.ts";
import { idOfFileName, normalizeId } from "../../runtime/agents/agent_id.ts";
import { listAgentFiles } from "../../runtime/agents/agent_names.ts";
import { SystemClock } from "../../base/clock.ts";
import { MessageChannels } from "../../runtime/wiring/message_channels.ts";
import { Redactor } from "../../runtime/secrets/redactor.ts";
import type { WorkspaceSettings } from "../../runtime/config/settings.ts";
import { diagnoseService } from "../../runtime/config/service_defaults.ts";
import { expandHome } from "../../runtime/config/places.ts";
import {
  findMissingWorkspace,
  missingWorkspaceHint,
} from "../../runtime/config/workspace_folder.ts";
import { type Diagnostic, errorAtStart } from "../../base/diagnostics.ts";

/** One checked file and its problems. */
export interface ValidatedFile {
  /** The agent's id, or the file's name for a file that is no agent, such as config.yaml. */
  agentId: string;
  path: string;
  diagnostics: Diagnostic[];
  /** The started servers with the number of their tools. Only present for mcp-servers.json. */
  connected?: { server: string; tools: number }[];
}

/**
 * Checks the target: an agent's id or the path of a `.md` file (relative to `cwd`). Without a target, checks the workspace:
 * config.yaml, environment and prices, which are returned only if they have problems, and every agent file. Returns an
 * empty array for an unknown target. With `connect` (the version sent to servers), starts the agents' MCP servers and
 * returns mcp-servers.json as the last file.
 */
export async function validateWorkspace(
  settings: WorkspaceSettings,
  target: string | undefined,
  options: { cwd: string; connect?: string },
): Promise<ValidatedFile[]> {
  const { config, directories, environment, home } = settings;
  const { workspace } = directories;
  const isFile = target?.endsWith(".md") ?? false;
  if (!isFile && await findMissingWorkspace(workspace, { home }) !== undefined) {
    const hint = missingWorkspaceHint(config);
    const missing = { ...errorAtStart(workspace, "The workspace does not exist"), hint };
    return [{ agentId: basename(workspace), path: workspace, diagnostics: [missing] }];
  }
  await using validation = await openAgentValidation(settings, options);
  const unreadable = validation.errors.filter(({ path }) => path === directories.agentsDir);
  if (unreadable.length > 0 && !isFile) {
    const { agentsDir } = directories;
    return [{ agentId: basename(agentsDir), path: agentsDir, diagnostics: unreadable }];
  }
  const files = target !== undefined ? [] : filesOf([
    ...config.warnings,
    ...diagnoseService(settings),
    ...channelProblems(settings),
    ...await diagnoseChats(settings),
    ...environment.problems(),
    ...validation.priceProblems(),
  ]);
  for (const path of await findFiles(directories.agentsDir, target, { ...options, home })) {
    const content = await readAgentFile(path);
    if (content === undefined) continue;
    const diagnostics = "diagnostic" in content
      ? [content.diagnostic]
      : await validation.validate({ path, bytes: content.bytes });
    files.push({ agentId: idOfFileName(basename(path)), path, diagnostics });
  }
  if (validation.connected.size > 0) {
    const path = directories.mcpServersFile;
    const connected = [...validation.connected].map(([server, tools]) => ({ server, tools }));
    files.push({ agentId: basename(path), path, diagnostics: [], connected });
  }
  // A message quotes values of its file, which may contain a secret by mistake.
  const redactor = new Redactor(() => environment.secrets());
  return files.map((file) => ({
    ...file,
    diagnostics: file.diagnostics.map((one) => ({
      ...one,
      message: redactor.redact(one.message),
    })),
  }));
}

/** Returns the problems of notification channels except chats, without those that config.yaml's own check reports. */
function channelProblems(settings: WorkspaceSettings): Diagnostic[] {
  const { config } = settings;
  const channels = new MessageChannels({
    settings,
    redactor: new Redactor(() => []),
    clock: new SystemClock(),
    ownPorts: () => [],
  });
  return channels.report().flatMap(({ name, problem }) => {
    const channel = config.notify.channels[name];
    if (problem === null || channel?.type === "chat") return [];
    if (channel?.type === "command" && !channel.allow) return [];
    const message = `The channel ${name} cannot deliver: ${problem}`;
    return [{ ...errorAtStart(config.path, message), severity: "warning" as const }];
  });
}

function filesOf(problems: readonly Diagnostic[]): ValidatedFile[] {
  return [...Map.groupBy(problems, ({ path }) => path)]
    .map(([path, diagnostics]) => ({ agentId: basename(path), path, diagnostics }));
}

async function findFiles(
  agentsDir: string,
  target: string | undefined,
  options: { cwd: string; home: string },
): Promise<string[]> {
  if (target?.endsWith(".md")) {
    return [resolve(options.cwd, expandHome(target, options.home))];
  }
  const wanted = target === undefined ? undefined : normalizeId(target);
  return (await listAgentFiles(agentsDir))
    .filter((name) => wanted === undefined || idOfFileName(name) === wanted)
    .map((name) => join(agentsDir, name));
}
