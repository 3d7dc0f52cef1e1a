// Creates a workspace on the disk, and a file outside that no test may change.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { AgentPath } from "../../../../runtime/agents/agent.ts";
import type { Clock } from "../../../../base/clock.ts";
import { SystemClock } from "../../../../base/clock.ts";
import { linkDescriptors } from "../../../../base/files/descriptor_link.ts";
import { Redactor } from "../../../../runtime/secrets/redactor.ts";
import type { Secret } from "../../../../runtime/secrets/secret.ts";
import { PathSandbox } from "../../../../runtime/tools/files/path_sandbox.ts";
import type { Tool, ToolContext } from "../../../../runtime/tools/definition/tool.ts";
import { ToolsUnavailable } from "../../../../runtime/tools/failures/tools_unavailable.ts";
import { createTestAgent } from "../../../support/test_agent.ts";

export const CANARY = "CANARY-content-that-no-agent-may-see";

/** A workspace in a temporary folder. Disposing of it deletes the folder. */
export class SandboxFixture implements AsyncDisposable {
  readonly base: string;
  readonly workspace: string;
  readonly outside: string;
  readonly home: string;
  #context: ToolContext | undefined;

  private constructor(base: string) {
    this.base = base;
    this.workspace = join(base, "workspace");
    this.outside = join(base, "outside");
    this.home = join(base, "home");
  }

  static async open(): Promise<SandboxFixture> {
    const fixture = new SandboxFixture(await Deno.realPath(await Deno.makeTempDir()));
    const cases = [
      ...["workspace/agents", "workspace/notes", "outside/deep", "home", "config", "state"],
    ];
    for (const name of cases) await Deno.mkdir(join(fixture.base, name), { recursive: true });
    const rows = [
      ...["outside/secret.txt", "outside/deep/a.txt", "home/secret.txt", "config/config.yaml"],
    ];
    for (const name of rows) await Deno.writeTextFile(join(fixture.base, name), CANARY);
    for (const name of ["state/inkling.db", "workspace/agents/me.md", "workspace/.env"]) {
      await Deno.writeTextFile(join(fixture.base, name), CANARY);
    }
    linkDescriptors(join(fixture.base, "state"));
    return fixture;
  }

  options(
    paths: AgentPath[] = [],
    extraReadPaths: string[] = [],
  ): ConstructorParameters<typeof PathSandbox>[0] {
    return {
      workspace: this.workspace,
      agentsDir: join(this.workspace, "agents"),
      configDir: join(this.base, "config"),
      stateDir: join(this.base, "state"),
      paths,
      extraReadPaths,
      home: this.home,
    };
  }

  sandbox(paths: AgentPath[] = [], extraReadPaths: string[] = []): PathSandbox {
    return new PathSandbox(this.options(paths, extraReadPaths));
  }

  /** The context of calls by an agent without declared paths. */
  get context(): ToolContext {
    return this.#context ??= testContext(this.sandbox());
  }

  /** Calls a tool for an agent without declared paths. */
  call(tool: Tool, args: Record<string, unknown>): Promise<string> {
    return call(tool, args, this.context);
  }

  async write(name: string, content: string): Promise<void> {
    const path = join(this.workspace, name);
    await Deno.mkdir(join(path, ".."), { recursive: true });
    await Deno.writeTextFile(path, content);
  }

  read(name: string): Promise<string> {
    return Deno.readTextFile(join(this.workspace, name));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.base, { recursive: true });
  }
}

/** Defines a test that gets a workspace. */
export function testInWorkspace(
  name: string,
  body: (fixture: SandboxFixture) => Promise<void>,
): void {
  Deno.test(name, async () => {
    await using fixture = await SandboxFixture.open();
    await body(fixture);
  });
}

/** Returns a context for tool calls; `options` replace its defaults. */
export function testContext(
  sandbox: PathSandbox,
  options: { signal?: AbortSignal; clock?: Clock; secrets?: readonly Secret[] } = {},
): ToolContext {
  return {
    signal: options.signal ?? new AbortController().signal,
    executionId: 1,
    toolCallId: "call-1",
    startedAt: 0,
    agent: createTestAgent(),
    sandbox,
    clock: options.clock ?? new SystemClock(),
    timeZone: () => "UTC",
    answers: [],
    redactor: new Redactor(() => options.secrets ?? []),
    log: () => {},
    report: () => Promise.resolve(),
  };
}

/** Checks the arguments of a tool and runs it, like the runtime. */
export async function call(
  tool: Tool,
  args: Record<string, unknown>,
  context: ToolContext,
): Promise<string> {
  if (tool.question !== undefined || tool.delegation !== undefined) {
    assert.fail(`${tool.name} asks a person or an agent, it cannot be run`);
  }
  const result = await tool.run(tool.check(args), context);
  return typeof result === "string" ? result : result.content;
}

/** Returns the message of the ToolFailure that `work` rejects with. */
export async function failureOf(work: Promise<unknown>): Promise<string> {
  const outcome = await work.then((value) => ({ value }), (error: unknown) => ({ error }));
  assert.ok("error" in outcome, `expected a failure, got ${JSON.stringify(outcome)}`);
  const { error } = outcome;
  assert.ok(
    error instanceof Error && error.name === "ToolFailure",
    `expected a ToolFailure, got ${error}`,
  );
  return error.message;
}

/** Returns the message of the ToolsUnavailable that `work` rejects with. */
export async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(() => undefined, (error: unknown) => error);
  assert.ok(error instanceof ToolsUnavailable, `expected ToolsUnavailable, got ${error}`);
  return error.message;
}

/** Returns the names of a folder's entries, sorted. */
export async function namesIn(folder: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name).sort();
}

/** Returns every path below a folder with its type, content and modification time, so that tests detect changes. */
export async function snapshot(
  folder: string,
  leaveOut: (path: string) => boolean = () => false,
): Promise<string> {
  const lines: string[] = [];
  for await (const entry of Deno.readDir(folder)) {
    const path = join(folder, entry.name);
    if (leaveOut(path)) continue;
    const name = path.replaceAll("\n", "\\n");
    const info = await Deno.lstat(path);
    if (entry.isDirectory) {
      lines.push(`${name} ${info.mtime?.getTime()}`, await snapshot(path));
    } else if (entry.isSymlink) {
      lines.push(`${name} -> ${await Deno.readLink(path)}`);
    } else {
      const text = await Deno.readTextFile(path);
      lines.push(`${name} ${info.ino} ${info.mtime?.getTime()} ${text}`);
    }
  }
  return lines.sort().join("\n");
}
