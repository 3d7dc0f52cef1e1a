// Inspects the custom tools, skills and MCP servers that agents name, for `validate`. Runs no tool and no program.
import type { Agent } from "../../runtime/agents/agent.ts";
import type { InspectedResources, ResourceProblem } from "../../runtime/agents/resource_problem.ts";
import { type Diagnostic, formatDiagnostic } from "../../base/diagnostics.ts";
import { permissionGaps } from "../../runtime/permissions/permission_gaps.ts";
import type { WorkspaceSettings } from "../../runtime/config/settings.ts";
import type { ValidationContext } from "./validation_context.ts";
import { type CheckSignIn, createSignInCheck } from "./sign_in_check.ts";
import { inspectShellVariables } from "./shell_variables.ts";
import { inspectToolCount } from "./tool_count.ts";
import { nearestHint } from "../../base/text/suggestion.ts";
import { describeMisplacedPaths } from "../../runtime/tools/mcp/servers_file/misplaced_paths.ts";
import { describeKeptName, describeNameClash } from "../../runtime/tools/name_clash.ts";
import { builtinToolsBy, yieldsName } from "../../runtime/vocabulary/builtin_tools.ts";
import { WEB_SEARCH } from "../../runtime/vocabulary/tool_vocabulary.ts";
import { resolveServer } from "../../runtime/tools/mcp/servers_file/resolve_server.ts";
import type { ParsedServer } from "../../runtime/tools/mcp/servers_file/parse_servers.ts";
import { ServersFile } from "../../runtime/tools/mcp/servers_file/servers_file.ts";
import { type Skill, SkillLibrary } from "../../runtime/tools/skills/skill_library.ts";
import { readablePaths } from "../../runtime/tools/custom/allowed_paths.ts";
import type { InspectedModule } from "../../runtime/tools/custom/custom_tools.ts";
import { ToolFailure } from "../../runtime/tools/failures/tool_failure.ts";
import { expandHome } from "../../runtime/config/places.ts";
import { redactText } from "../../runtime/secrets/secret_marks.ts";
import {
  describeMissingCommand,
  type ServerDefinition,
} from "../../runtime/tools/mcp/servers_file/server_definition.ts";
import { PathSandbox } from "../../runtime/tools/files/path_sandbox.ts";
import { isInstalled } from "../../base/files/installed_program.ts";
import { findSandbox, type SandboxSupport } from "../../runtime/sandbox/sandbox_support.ts";
import { sandboxGap } from "../../runtime/permissions/sandbox_gap.ts";

/** Inspects a custom tool's file. Returns its description, or the reason why it cannot be used. */
export type InspectCustomTool = (name: string) => Promise<InspectedModule | { problem: string }>;

/** Starts a server. Returns a sentence with the reason why the server cannot be used, or undefined if it can. */
type Connect = (server: string) => Promise<string | undefined>;

/** Returns a function that inspects the resources of the workspace's agents. Without `connect`, no server is started. */
export function createInspection(
  settings: WorkspaceSettings,
  { inspectCustomTool, connect }: { inspectCustomTool: InspectCustomTool; connect?: Connect },
): ValidationContext["inspectResources"] {
  const skills = new SkillLibrary(settings);
  const servers = new ServersFile(settings.directories.mcpServersFile);
  const checkSignIn = createSignInCheck(settings);
  let support: Promise<SandboxSupport> | undefined;
  const sandboxSupport = () => support ??= findSandbox();
  return async (agent) => {
    const isKept = (name: string) => !agent.leftOut.includes(name);
    const builtin = builtinToolsBy(undefined).filter(isKept);
    const ownTools = [
      ...(agent.skills.length > 0 ? builtinToolsBy("skills") : []),
      ...(agent.agents.length > 0 ? builtinToolsBy("agents") : []),
      ...(agent.shell === undefined ? [] : builtinToolsBy("shell")),
      ...(agent.mail === undefined ? [] : builtinToolsBy("mail")),
      ...agent.customTools.filter((name) => name === WEB_SEARCH),
    ].filter(isKept);
    const custom = await inspectCustomTools(agent, {
      inspect: inspectCustomTool,
      otherTools: [...builtin, ...ownTools],
    });
    return {
      problems: [
        ...custom.problems,
        ...await inspectSkills(agent, skills),
        ...inspectShellVariables(agent, settings),
        ...await inspectServers(agent, { servers, settings, connect, checkSignIn }),
        ...await inspectToolCount(
          agent,
          { servers, settings },
          { builtin: [...builtin, ...ownTools], custom: custom.toolNames },
        ),
        ...await permissionGaps(agent, settings),
        ...await sandboxGap(agent, settings, sandboxSupport),
      ],
      toolNames: [...custom.toolNames, ...ownTools],
      isComplete: agent.mcp.length === 0 && custom.isComplete,
    };
  };
}

async function inspectCustomTools(
  { customTools }: Agent,
  { inspect, otherTools }: { inspect: InspectCustomTool; otherTools: readonly string[] },
): Promise<InspectedResources> {
  const problems: ResourceProblem[] = [];
  const toolNames: string[] = [];
  const taken = new Set(otherTools.filter((name) => !yieldsName(name)));
  let isComplete = true;
  for (const name of customTools) {
    const refuse = (message: string) =>
      void problems.push({ field: "custom_tools", name, severity: "error", message });
    const found = await inspect(name);
    if ("problem" in found) {
      isComplete = false;
      refuse(found.problem);
      continue;
    }
    for (const link of found.linksOut) refuse(describeLinkOut(link, "the tools folder"));
    for (const variable of found.unset) {
      const message = `The custom tool ${name} asks for the variable ${variable}, which is not set`;
      problems.push({ field: "custom_tools", name, severity: "warning", message });
    }
    for (const toolName of found.toolNames) {
      const kept = describeKeptName("The custom tool", toolName, otherTools);
      if (kept !== undefined) {
        problems.push({ field: "custom_tools", name, severity: "warning", ...kept });
      }
      const clash = describeNameClash(toolName, taken);
      if (clash !== undefined) refuse(clash);
      taken.add(toolName);
      toolNames.push(toolName);
    }
  }
  return { problems, toolNames, isComplete };
}

async function inspectSkills(agent: Agent, library: SkillLibrary): Promise<ResourceProblem[]> {
  const problems: ResourceProblem[] = [];
  for (const name of agent.skills) {
    const reading = await library.read(name);
    const found = "diagnostics" in reading ? reading.diagnostics : reading.warnings;
    for (const one of found) {
      const message = `The skill ${name}: ${formatDiagnostic(one)}`;
      problems.push({ field: "skills", name, severity: one.severity, message });
    }
    if (!("skill" in reading)) continue;
    for (const message of await linkProblems(reading.skill)) {
      problems.push({ field: "skills", name, severity: "error", message });
    }
  }
  return problems;
}

async function linkProblems({ name, sandbox }: Skill): Promise<string[]> {
  const what = `the folder of the skill ${name}`;
  try {
    const { linksOut } = await readablePaths(sandbox, new AbortController());
    return linksOut.map((link) => describeLinkOut(link, what));
  } catch (error) {
    if (error instanceof ToolFailure) return [`The skill ${name}: ${error.message}`];
    throw error;
  }
}

function describeLinkOut(link: string, folder: string): string {
  return `${link} is a symbolic link to a place outside ${folder}, or to one closed to agents: nothing is read ` +
    "through it. Put a copy in its place, or remove it";
}

async function inspectServers(
  agent: Agent,
  context: {
    servers: ServersFile;
    settings: WorkspaceSettings;
    connect: Connect | undefined;
    checkSignIn: CheckSignIn;
  },
): Promise<ResourceProblem[]> {
  if (agent.mcp.length === 0) return [];
  const { servers: file } = context;
  const content = file.read();
  if ("problem" in content) {
    return [{ field: "mcp", severity: "error", message: content.problem }];
  }
  const problems = agent.mcp.map(async (name): Promise<ResourceProblem[]> => {
    const server = content.servers.get(name);
    const code = `unusable_server:${name}` as const;
    if (server === undefined) {
      return [{
        field: "mcp",
        name,
        severity: "error",
        code,
        message: `The MCP server ${name} is not defined in ${file.path}`,
        ...nearestHint(name, content.servers.keys()),
      }];
    }
    const found = await inspectServer(server, { ...context, name, agent });
    const warnings = server.warnings.map((problem) => ({ severity: "warning" as const, problem }));
    const problems = [...warnings, ...found].map(({ problem, ...rest }): ResourceProblem => {
      const message = `The MCP server ${name} in ${file.path}: ${problem}`;
      return { field: "mcp", name, code, message, ...rest };
    });
    if (problems.some(({ severity }) => severity === "error")) return problems;
    const message = await context.connect?.(name);
    return message === undefined
      ? problems
      : [...problems, { field: "mcp", name, severity: "error", message }];
  });
  return (await Promise.all(problems)).flat();
}

async function inspectServer(
  server: ParsedServer,
  context: { name: string; agent: Agent; settings: WorkspaceSettings; checkSignIn: CheckSignIn },
): Promise<(Pick<Diagnostic, "severity" | "hint" | "code"> & { problem: string })[]> {
  const { name, agent, settings } = context;
  const definition = resolveServer(name, server, settings);
  if ("problem" in definition) return [{ severity: "error", problem: definition.problem }];
  if (definition.kind !== "program") return await context.checkSignIn(name, definition);
  const missing = describeMissingProgram(definition);
  const odd = describeMisplacedPaths(definition) ??
    await describeOpenFolder(definition.cwd, agent, settings);
  const hint = "install its program, or correct `command` in its entry";
  return [
    ...(missing === undefined ? [] : [{ severity: "error" as const, problem: missing, hint }]),
    ...(odd === undefined ? [] : [{ severity: "warning" as const, problem: odd }]),
  ];
}

type Program = Extract<ServerDefinition, { kind: "program" }>;

/**
 * Returns a text without secrets about a program that a run would not find. Undefined if the program exists or cannot be
 * checked: PATH is unset, or this process may not read the folder.
 */
function describeMissingProgram(program: Program): string | undefined {
  const { command, env, cwd, secrets } = program;
  const home = env["HOME"];
  // Expand a tilde in PATH, because the start of a server expands it, too.
  const path = env["PATH"]?.split(":")
    .map((folder) => home === undefined ? folder : expandHome(folder, home)).join(":");
  if (isInstalled(command, { path, cwd })) return undefined;
  return redactText(describeMissingCommand(program), secrets);
}

/**
 * Returns the problem of a server's folder into which this agent, or an agent that declares no paths, may write. Undefined
 * for any other folder. `folder` is absolute.
 */
async function describeOpenFolder(
  folder: string,
  { paths }: Pick<Agent, "paths">,
  { directories, home }: Pick<WorkspaceSettings, "directories" | "home">,
): Promise<string | undefined> {
  for (const reach of [[], paths]) {
    const sandbox = new PathSandbox({ ...directories, paths: reach, home });
    try {
      await sandbox.resolve(folder, "write");
      return `it starts in ${folder}, where agents may write, and programs often run ` +
        "what they find where they start. Leave cwd out, or name a folder that agents cannot reach";
    } catch (error) {
      // A ToolFailure means that the agent may not write into the folder.
      if (!(error instanceof ToolFailure)) throw error;
    }
  }
  return undefined;
}
