// Finds and describes the custom tools of a workspace, offers them to agents, and runs their calls in processes of their
// own.
import { realpath } from "node:fs/promises";
import type { Agent } from "../../agents/agent.ts";
import { WORKSPACE_ALIAS } from "../../agents/agent_paths.ts";
import type { Clock } from "../../../base/clock.ts";
import type { JsonObject } from "../../../base/json.ts";
import { isBuiltinName } from "../../vocabulary/builtin_tools.ts";
import { compileArgumentsCheck } from "../json_schema/arguments_check.ts";
import { PathSandbox } from "../files/path_sandbox.ts";
import type { ActionTool, ToolContext } from "../definition/tool.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import { ToolsUnavailable } from "../failures/tools_unavailable.ts";
import { hostPermissions, readablePaths } from "./allowed_paths.ts";
import type { HostWork, ToolFile, WorkerPermissions } from "./host_messages.ts";
import type { PrintedLine } from "./host_output.ts";
import { HostPool, MAX_WAIT_MS } from "./host_pool.ts";
import { HostProcess } from "./host_process.ts";
import { hostCommand, type HostSettings } from "./host_program.ts";
import { findForbiddenImport } from "./import_check.ts";
import { runToolCall } from "./tool_call.ts";
import type { FileToolDeclaration } from "./tool_declaration.ts";
import { ToolDescriptions } from "./tool_descriptions.ts";
import { findToolFile } from "./tool_files.ts";
import { requireValidArguments } from "./whole_check.ts";
import type { SandboxRoot } from "../../vocabulary/prompt_material.ts";

/** The time in addition to a call's own limit in milliseconds, for the steps before and after the call in its process. */
const GRACE_MS = 60_000;

/** The options of CustomTools. */
export interface CustomToolsOptions extends HostSettings {
  clock: Clock;
  /** Returns true if a variable contains a key of a provider, a trigger or the service, which no tool gets. */
  isProviderKey(name: string): boolean;
  /** The maximum number of processes. The default is in host_pool.ts. */
  maxProcesses?: number;
}

/** The tools in a file, or a sentence with the reason that the file cannot be used. */
type FoundTools = { file: ToolFile; tools: FileToolDeclaration[] } | { problem: string };

/** The facts about a file of custom tools that `validate` reports. */
export interface InspectedModule {
  toolNames: string[];
  /** The symlinks that point out of the tools folder. */
  linksOut: string[];
  /** The variables that its tools request and that are not set. */
  unset: string[];
}

/** The custom tools of a workspace. Disposing of the object ends every process. */
export class CustomTools implements AsyncDisposable {
  readonly #options: CustomToolsOptions;
  readonly #pool: HostPool;
  readonly #descriptions: ToolDescriptions;

  constructor(options: CustomToolsOptions) {
    this.#options = options;
    this.#pool = new HostPool(options);
    this.#descriptions = new ToolDescriptions({
      pool: this.#pool,
      clock: options.clock,
      start: (...started) => this.#start(...started),
      readable: async (signal) => (await readablePaths(await this.#ownFolder(), { signal })).read,
    });
  }

  /**
   * Returns the custom tools of an agent. Throws ToolsUnavailable with the file and the reason if a file cannot be used,
   * and the signal's reason on abort.
   */
  async openTools(
    agent: Pick<Agent, "id" | "customTools">,
    options: { signal?: AbortSignal } = {},
  ): Promise<ActionTool[]> {
    const signal = options.signal ?? new AbortController().signal;
    const tools: ActionTool[] = [];
    const modules = agent.customTools.map((module) => this.#find(module, signal));
    for (const found of await Promise.all(modules)) {
      if ("problem" in found) throw new ToolsUnavailable(found.problem);
      for (const one of found.tools) tools.push(await this.#open(found.file, one));
    }
    return tools;
  }

  /**
   * Loads a file of custom tools without running the tools. Returns the facts about it, or a sentence with the reason that
   * it cannot be used.
   */
  async inspect(
    module: string,
  ): Promise<InspectedModule | { problem: string }> {
    const { signal } = new AbortController();
    const found = await this.#find(module, signal);
    if ("problem" in found) return found;
    const { linksOut } = await readablePaths(await this.#ownFolder(), { signal });
    const toolNames = found.tools.map(({ name }) => name);
    const unset = found.tools.flatMap(({ permissions }) => this.#unset(permissions.env));
    return { toolNames, linksOut, unset: [...new Set(unset)] };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]();
  }

  async #find(module: string, signal: AbortSignal): Promise<FoundTools> {
    const problem = (reason: string) => ({
      problem: `The custom tool ${module} cannot be used: ${reason}`,
    });
    const { program, sandbox, directories: { toolsDir } } = this.#options;
    const found = await findToolFile(module, toolsDir);
    if ("problem" in found) return problem(found.problem);
    const isLoaderOpen = program.main === undefined && !await sandbox.isAvailable();
    const file = { ...found, isLoaderOpen };
    const open = isLoaderOpen ? await findForbiddenImport(file.path, toolsDir) : undefined;
    if (open !== undefined) return problem(open);
    const described = await this.#descriptions.describe(file, signal);
    if ("problem" in described) return problem(described.problem);
    const key = described.flatMap(({ permissions }) => permissions.env)
      .find((name) => this.#options.isProviderKey(name));
    if (key === undefined) return { file, tools: described };
    return problem(
      `it asks for the variable ${key} with a key of a provider, a trigger or the service, which no tool gets`,
    );
  }

  async #open(file: ToolFile, declaration: FileToolDeclaration): Promise<ActionTool> {
    const { name, description, parameters, effect, timeoutMs } = declaration;
    const { check, isPartial } = await compileArgumentsCheck(name, parameters);
    return {
      name,
      description,
      parameters,
      ...(isBuiltinName(name) && { replacesBuiltin: true }),
      timeoutMs: MAX_WAIT_MS + timeoutMs + GRACE_MS,
      check,
      fixedEffect: effect,
      effect: () => effect,
      run: async (args, context) => {
        if (isPartial(args)) {
          const { directories: { toolsDir: cwd }, program } = this.#options;
          const checked = { tool: name, schema: parameters, args };
          await requireValidArguments(checked, context, { program, cwd });
        }
        const unset = this.#unset(declaration.permissions.env);
        const sentence = `The tool requests variables that are not set: ${unset.join(", ")}.`;
        if (unset.length > 0) context.log(sentence);
        try {
          return await this.#run({ file, declaration, args }, context);
        } catch (error) {
          if (unset.length === 0 || !(error instanceof ToolFailure)) throw error;
          throw new ToolFailure(`${error.message}\n${sentence}`, { cause: error });
        }
      },
    };
  }

  async #run(
    call: { file: ToolFile; declaration: FileToolDeclaration; args: JsonObject },
    context: ToolContext,
  ): Promise<string> {
    const { file, declaration: { name, timeoutMs, permissions: { net, env } }, args } = call;
    const { workspace } = this.#options.directories;
    const folder = await this.#ownFolder();
    const { inner, outer, roots } = await hostPermissions(folder, context, { net, env });
    const work: HostWork = {
      ...{ type: "call", file, tool: name, args, permissions: inner },
      surroundings: {
        agentId: context.agent.id,
        executionId: context.executionId,
        workspace,
        paths: pathsOf(roots, workspace),
      },
    };
    const start = (onLine: (line: PrintedLine) => void) =>
      this.#start(work, outer, workspace, onLine);
    return await runToolCall({ tool: name, timeoutMs, start }, context, this.#pool);
  }

  /** Returns a sandbox of the tools folder, which its tools may read except closed files and symlinks that point outside. */
  async #ownFolder(): Promise<PathSandbox> {
    const { toolsDir, configDir, stateDir } = this.#options.directories;
    const workspace = await realpath(toolsDir);
    const closed = { agentsDir: null, configDir, stateDir };
    return new PathSandbox({ ...closed, workspace, paths: [], home: workspace });
  }

  async #start(
    work: HostWork,
    permissions: WorkerPermissions,
    cwd: string,
    onLine?: (line: PrintedLine) => void,
  ): Promise<HostProcess> {
    const variables = this.#variables(permissions.env);
    const start = { role: "tools", permissions, variables, cwd } as const;
    return new HostProcess({ command: await hostCommand(this.#options, start), work, onLine });
  }

  /** Returns the names of variables that are not set. */
  #unset(names: readonly string[]): string[] {
    return names.filter((name) => this.#options.lookup(name) === undefined);
  }

  #variables(names: readonly string[]): Record<string, string> {
    return Object.fromEntries(names.flatMap((name) => {
      const value = this.#options.isProviderKey(name) ? undefined : this.#options.lookup(name);
      return value === undefined ? [] : [[name, value]];
    }));
  }
}

function pathsOf(roots: readonly SandboxRoot[], workspace: string): Record<string, string> {
  return Object.fromEntries([
    [WORKSPACE_ALIAS, workspace],
    ...roots.flatMap(({ alias, path }) => alias === null ? [] : [[alias, path]]),
  ]);
}
