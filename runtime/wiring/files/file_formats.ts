// The files that people write: their paths, and the problems of their texts.
import { type Diagnostic, errorAtStart } from "../../../base/diagnostics.ts";
import { RuntimeError, type RuntimeErrorCode } from "../../../base/errors.ts";
import { join } from "../../../base/plain_path.ts";
import { describeBadName, isAgentFileName, normalizeId } from "../../agents/agent_id.ts";
import { AgentNotFound } from "../../agents/known_agents.ts";
import { parseAgent } from "../../agents/parse_agent.ts";
import type { AgentRegistry } from "../../agents/registry.ts";
import { parseConfig } from "../../config/parse_config.ts";
import type { WorkspaceSettings } from "../../config/settings.ts";
import type { FilePlace } from "../../interface/workspace_files.ts";
import { parseServers } from "../../tools/mcp/servers_file/parse_servers.ts";
import { parseSkillFile } from "../../tools/skills/skill_file.ts";

/** Error: a file cannot be read, written or named so. The message contains the reason. */
export class FileUnusable extends RuntimeError {
  readonly code: RuntimeErrorCode;
  constructor(code: RuntimeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Error: the file was changed after the person had read it. */
export class FileOutdated extends RuntimeError {
  readonly code: RuntimeErrorCode = "outdated";
  constructor(exists: boolean) {
    super(
      exists
        ? "The file was changed meanwhile: read it again, and save with its new version"
        : "The file does not exist any more: save it as a new file, or discard the text",
    );
  }
}

/** Returns the path of a file. Throws AgentNotFound and FileUnusable for a name that no such file can have. */
export function pathOf(
  place: FilePlace,
  { settings, registry }: { settings: WorkspaceSettings; registry: AgentRegistry },
): string {
  const { agentsDir, skillsDir, configFile, mcpServersFile } = settings.directories;
  if (place.kind === "config") return configFile;
  if (place.kind === "mcp") return mcpServersFile;
  const { id } = place;
  if (place.kind === "agent") {
    const known = registry.get(id)?.sourcePath ??
      registry.broken().find((file) => file.id === normalizeId(id))?.path;
    if (known?.endsWith(".md")) return known;
  }
  const reason = describeBadName(id);
  if (reason !== undefined) {
    throw new FileUnusable("invalid", `The name ${JSON.stringify(id)} ${reason}`);
  }
  if (place.kind === "skill") return join(skillsDir, id, "SKILL.md");
  const name = `${normalizeId(id)}.md`;
  if (!isAgentFileName(name)) {
    throw new FileUnusable("invalid", `${name} in the folder of agents is never an agent`);
  }
  return join(agentsDir, name);
}

/** Returns the error for a file that does not exist. */
export function missing(place: FilePlace): RuntimeError {
  if (place.kind === "agent") return new AgentNotFound(place.id);
  const name = place.kind === "skill" ? place.id : "";
  return new FileUnusable("not_found", `The skill ${JSON.stringify(name)} does not exist`);
}

/** Returns the problems of a file's text. An error means that the whole file cannot be used. */
export function findProblems(
  place: FilePlace,
  source: { path: string; text: string },
  settings: WorkspaceSettings,
): readonly Diagnostic[] {
  const { path, text } = source;
  switch (place.kind) {
    case "agent": {
      const parsed = parseAgent({ path, bytes: new TextEncoder().encode(text) }, settings);
      return "agent" in parsed ? parsed.agent.warnings : parsed.diagnostics;
    }
    case "skill": {
      const parsed = parseSkillFile(source, place.id);
      return "file" in parsed ? parsed.warnings : parsed.diagnostics;
    }
    case "config": {
      const parsed = parseConfig(text, { path, home: settings.home });
      return "config" in parsed ? parsed.config.warnings : parsed.diagnostics;
    }
    case "mcp":
      return text.trim() === "" ? [] : findServerProblems(source);
  }
}

/** A broken entry is only a warning, because the other entries can be used. */
function findServerProblems({ path, text }: { path: string; text: string }): Diagnostic[] {
  const parsed = parseServers(text, path);
  if ("problem" in parsed) {
    const [, line, column, message] = /^.*?:(\d+):(\d+): (.*)$/s.exec(parsed.problem) ?? [];
    const start = errorAtStart(path, message ?? parsed.problem);
    return [{ ...start, line: Number(line ?? 1), column: Number(column ?? 1) }];
  }
  return [...parsed.servers].flatMap(([name, server]) => {
    const before = text.slice(0, Math.max(0, text.indexOf(JSON.stringify(name)))).split("\n");
    const place = { path, line: before.length, column: (before.at(-1) ?? "").length + 1 };
    return ["problem" in server ? server.problem : [], server.warnings].flat().map((problem) => (
      { ...place, severity: "warning" as const, message: `The MCP server ${name}: ${problem}` }
    ));
  });
}
