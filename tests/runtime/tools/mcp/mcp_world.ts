// A workspace with an mcp-servers.json, and its servers as an agent has them.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Clock, SystemClock } from "../../../../base/clock.ts";
import type { Environment } from "../../../../runtime/config/environment.ts";
import { McpServers } from "../../../../runtime/tools/mcp/mcp_servers.ts";
import { MCP_LIMITS, type McpLimits } from "../../../../runtime/tools/mcp/mcp_limits.ts";
import type { ActionTool, ToolContext } from "../../../../runtime/tools/tool.ts";
import { LogLines } from "../../../support/log_lines.ts";
import { denoDirectory } from "../../../support/repository.ts";
import { SandboxFixture, testContext } from "../files/sandbox_fixture.ts";

export interface McpWorld extends AsyncDisposable {
  servers: McpServers;
  log: LogLines;
  workspace: string;
  stateDir: string;
  /** Variables of the environment; may be changed. */
  variables: Map<string, string>;
  /** Writes mcp-servers.json; text is written as it is. */
  define(content: Record<string, unknown> | string): Promise<void>;
  /** The tools of these servers, by name. */
  tools(mcp: string[], taken?: string[]): Promise<Map<string, ActionTool>>;
  /** Checks and runs one call, as the loop does. */
  call(
    tool: ActionTool | undefined,
    args?: Record<string, unknown>,
    context?: Partial<ToolContext>,
  ): Promise<string>;
}

/** The entry of the fixture server as a program. */
export function programEntry(
  mode = "plain",
  env: Record<string, string> = {},
): { command: string; args: string[]; env: Record<string, string> } {
  const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
  return {
    command: Deno.execPath(),
    args: [
      "run",
      "--cached-only",
      "--no-prompt",
      "--allow-env",
      "--allow-read",
      "--allow-write",
      "--allow-run",
      "--config",
      here("../../../deno.json"),
      here("stdio_server.ts"),
      mode,
    ],
    env: { DENO_DIR: denoDirectory(), ...env },
  };
}

export async function openMcpWorld(
  options: { clock?: Clock; limits?: Partial<McpLimits> } = {},
): Promise<McpWorld> {
  const place = await SandboxFixture.open();
  const { workspace } = place;
  const stateDir = join(place.base, "state");
  const clock = options.clock ?? new SystemClock();
  const variables = new Map(Object.entries({
    HOME: place.home,
    PATH: Deno.env.get("PATH") ?? "",
    OPENAI_API_KEY: "sk-a-key-of-a-provider",
  }));
  const environment: Environment = { get: (name) => variables.get(name), secrets: () => [] };
  const log = new LogLines();
  const file = join(place.base, "mcp-servers.json");
  const servers = new McpServers({
    file,
    workspace,
    stateDir,
    environment,
    clock,
    log,
    version: "0.0.0-test",
    limits: { ...MCP_LIMITS, ...options.limits },
  });
  return {
    servers,
    log,
    workspace,
    stateDir,
    variables,
    define: (content) =>
      Deno.writeTextFile(file, typeof content === "string" ? content : JSON.stringify(content)),
    tools: async (mcp, taken = []) =>
      new Map((await servers.openTools({ mcp }, { taken })).map((tool) => [tool.name, tool])),
    call: async (tool, args = {}, context = {}) => {
      assert.ok(tool, "the tool is not there");
      const result = await tool.run(tool.check(args), {
        ...testContext(place.sandbox(), { clock }),
        ...context,
      });
      return typeof result === "string" ? result : result.content;
    },
    async [Symbol.asyncDispose]() {
      await servers[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

/** Whether a process is there and no zombie. */
export async function isRunning(pid: number): Promise<boolean> {
  const { stdout } = await new Deno.Command("ps", {
    args: ["-o", "stat=", "-p", String(pid)],
    stderr: "null",
  }).output();
  const state = new TextDecoder().decode(stdout).trim();
  return state !== "" && !state.startsWith("Z");
}

// Re-exported so that whoever opens a world has loaded the server package, which the program takes from the cache.
export { FixtureHttpServer } from "./http_server.ts";
