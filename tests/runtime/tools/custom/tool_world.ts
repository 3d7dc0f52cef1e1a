// A workspace with custom tools, and the processes that run them.
import { join } from "node:path";
import type { AgentPath } from "../../../../runtime/agents/agent.ts";
import { type Clock, SystemClock } from "../../../../base/clock.ts";
import type { JsonObject } from "../../../../base/json.ts";
import { CustomTools } from "../../../../runtime/tools/custom/custom_tools.ts";
import {
  type HostProgram,
  type HostSettings,
  ownProgram,
} from "../../../../runtime/tools/custom/host_program.ts";
import { Redactor } from "../../../../runtime/secrets/redactor.ts";
import type { Secret } from "../../../../runtime/secrets/secret.ts";
import type {
  ActionTool,
  AnsweredQuestion,
  ToolContext,
} from "../../../../runtime/tools/definition/tool.ts";
import { denoDirectory } from "../../../support/repository.ts";
import { age } from "../../../support/temp_dir.ts";
import { createTestAgent } from "../../../support/test_agent.ts";
import type { ProcessSandbox } from "../../../../runtime/sandbox/process_sandbox.ts";
import { noSandbox, systemSandbox } from "../../sandbox/system_sandbox.ts";
import { SandboxFixture } from "../files/sandbox_fixture.ts";

/** The body of a tool that waits until the file `notes/go` exists. */
export const WAITER = `context.log("began");
  while (!await Deno.stat("notes/go").catch(() => false)) await new Promise((resolve) => setTimeout(resolve, 10));
  return "went";`;

export interface ToolWorldOptions {
  clock?: Clock;
  program?: HostProgram;
  maxProcesses?: number;
  sandbox?: ProcessSandbox;
  /** True: the tools run in the operating system's sandbox, if there is one. */
  isConfined?: boolean;
  /** The environment variables of the service. */
  variables?: Record<string, string>;
  isProviderKey?: (name: string) => boolean;
}

/** The body of a tool's `run`, or the body and further lines of its declaration. */
type ToolBody = string | readonly [body: string, more: string];

/** The options of one call besides its arguments. */
export interface CallOptions {
  paths?: AgentPath[];
  readPaths?: string[];
  answers?: AnsweredQuestion[];
  signal?: AbortSignal;
  executionId?: number;
  clock?: Clock;
  secrets?: readonly Secret[];
}

/** A workspace with custom tools. Disposing ends the tools' processes and removes the folders. */
export class ToolWorld implements AsyncDisposable {
  readonly fixture: SandboxFixture;
  readonly directories: HostSettings["directories"];
  readonly tools: CustomTools;
  readonly logged: string[] = [];
  /** The number of processes that were started. */
  starts = 0;

  private constructor(fixture: SandboxFixture, options: ToolWorldOptions) {
    this.fixture = fixture;
    this.directories = directoriesOf(fixture);
    const variables: Record<string, string> = {
      HOME: fixture.home,
      DENO_DIR: denoDirectory(),
      ...options.variables,
    };
    const sandbox = options.sandbox ??
      (options.isConfined ? systemSandbox(fixture.home, "preferred") : noSandbox());
    const confine = sandbox.confine.bind(sandbox);
    sandbox.confine = (...wanted) => {
      this.starts++;
      return confine(...wanted);
    };
    this.tools = new CustomTools({
      directories: this.directories,
      program: options.program ?? ownProgram(),
      clock: options.clock ?? new SystemClock(),
      lookup: (name) => variables[name],
      sandbox,
      isProviderKey: options.isProviderKey ?? ((name) => name === "OPENAI_API_KEY"),
      ...(options.maxProcesses !== undefined && { maxProcesses: options.maxProcesses }),
    });
  }

  static async open(options: ToolWorldOptions = {}): Promise<ToolWorld> {
    const world = new ToolWorld(await SandboxFixture.open(), options);
    await Deno.mkdir(world.directories.toolsDir, { recursive: true });
    return world;
  }

  /** Writes a file into the tools folder and makes it a minute old, because newer files are not cached. */
  async write(name: string, source: string): Promise<void> {
    const path = join(this.directories.toolsDir, name);
    await Deno.writeTextFile(path, source);
    await age(path);
  }

  /** Writes `<name>.ts` with one tool whose `run` has this body; `more` are further lines of its declaration. */
  async writeTool(name: string, body: string, more = ""): Promise<void> {
    await this.write(`${name}.ts`, `export default ${declarationOf([body, more])};`);
  }

  /** Writes a module with several tools and opens it. One process describes all tools. */
  async openModule<Name extends string>(
    module: string,
    bodies: Record<Name, ToolBody>,
  ): Promise<Record<Name, ActionTool>> {
    const exports = Object.entries<ToolBody>(bodies)
      .map(([name, body]) => `export const ${name} = ${declarationOf(body)};`);
    await this.write(`${module}.ts`, exports.join("\n"));
    const tools = (await this.openTools(module)).map((tool) => [tool.name, tool]);
    return Object.fromEntries(tools);
  }

  /** Opens the tools of an agent that names these modules. */
  openTools(...modules: string[]): Promise<ActionTool[]> {
    return this.tools.openTools({ id: "me", customTools: modules });
  }

  /** Returns the first tool of a module. */
  async openTool(module: string): Promise<ActionTool> {
    const [tool] = await this.openTools(module);
    if (tool === undefined) throw new Error(`${module} holds no tool`);
    return tool;
  }

  /** Opens a module's only tool and calls it. */
  async call(module: string, args: JsonObject = {}, options: CallOptions = {}): Promise<string> {
    return await this.run(await this.openTool(module), args, options);
  }

  async run(tool: ActionTool, args: JsonObject = {}, options: CallOptions = {}): Promise<string> {
    const result = await tool.run(tool.check(args), this.context(options));
    return typeof result === "string" ? result : result.content;
  }

  context(options: CallOptions = {}): ToolContext {
    const { paths, readPaths, answers = [], secrets = [] } = options;
    const { signal = new AbortController().signal } = options;
    return {
      signal,
      executionId: options.executionId ?? 7,
      toolCallId: "call-1",
      startedAt: 0,
      agent: createTestAgent({ id: "me" }),
      sandbox: this.fixture.sandbox(paths, readPaths),
      clock: options.clock ?? new SystemClock(),
      timeZone: () => "UTC",
      answers,
      redactor: new Redactor(() => secrets),
      report: () => Promise.resolve(),
      log: (line) => void this.logged.push(line),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.tools[Symbol.asyncDispose]();
    await this.fixture[Symbol.asyncDispose]();
  }
}

function declarationOf(tool: ToolBody): string {
  const [body, more] = typeof tool === "string" ? [tool, ""] : tool;
  return `{ description: "A tool", parameters: { additionalProperties: true },
    ${more}
    async run(args: any, context: any): Promise<any> { ${body} } }`;
}

/** Returns the folders that tools and scripts of this workspace use, and the folders that are closed to them. */
export function directoriesOf({ workspace, base }: SandboxFixture): HostSettings["directories"] {
  return {
    workspace,
    agentsDir: join(workspace, "agents"),
    toolsDir: join(workspace, "agents/_config/tools"),
    configDir: join(base, "config"),
    stateDir: join(base, "state"),
    workspaceEnvFile: join(workspace, "agents/_config/.env"),
  };
}
