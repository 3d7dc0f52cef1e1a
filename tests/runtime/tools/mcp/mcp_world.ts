// Creates a workspace with an mcp-servers.json, and the tools of its servers for an agent.
import type { ResolveHost } from "../../../../runtime/tools/http/host_lookup.ts";
import { ForwardProxy } from "../../../../runtime/tools/http/forward_proxy.ts";
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemProcesses } from "../../../../cli/context/processes.ts";
import { type Clock, SystemClock } from "../../../../base/clock.ts";
import type { Environment } from "../../../../runtime/config/files/environment.ts";
import { CredentialFiles } from "../../../../runtime/tools/mcp/sign_in/credential_files.ts";
import { TokenSecrets } from "../../../../runtime/tools/mcp/sign_in/token_secrets.ts";
import { McpServers } from "../../../../runtime/tools/mcp/mcp_servers.ts";
import { MCP_LIMITS, type McpLimits } from "../../../../runtime/tools/mcp/mcp_limits.ts";
import type { ActionTool, ToolContext } from "../../../../runtime/tools/definition/tool.ts";
import { LogLines } from "../../../support/log_lines.ts";
import { denoDirectory } from "../../../support/repository.ts";
import type { ProcessSandbox } from "../../../../runtime/sandbox/process_sandbox.ts";
import { noSandbox } from "../../sandbox/system_sandbox.ts";
import { SandboxFixture, testContext } from "../files/sandbox_fixture.ts";

export type McpWorld = Awaited<ReturnType<typeof createWorld>>;

/** Returns the entry of the fixture server as a program. */
export function programEntry(
  mode = "plain",
  env: Record<string, string> = {},
): { command: string; args: string[]; env: Record<string, string>; sandbox: false } {
  const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
  return {
    command: Deno.execPath(),
    // deno-fmt-ignore
    args: [
      "run", "--cached-only", "--no-prompt", "--allow-env", "--allow-read", "--allow-write",
      "--allow-run", "--config", here("../../../deno.json"), here("stdio_server.ts"), mode,
    ],
    env: { DENO_DIR: denoDirectory(), ...env },
    sandbox: false,
  };
}

export const openMcpWorld: typeof createWorld = createWorld;

async function createWorld(
  options: {
    clock?: Clock;
    limits?: Partial<McpLimits>;
    sandbox?: ProcessSandbox;
    fixture?: SandboxFixture;
    /** Resolves the host names of sandboxed programs. */
    resolveHost?: ResolveHost;
  } = {},
) {
  const place = options.fixture ?? await SandboxFixture.open();
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
  const secrets = new TokenSecrets();
  const credentials = new CredentialFiles({ stateDir, clock, secrets });
  const file = join(place.base, "mcp-servers.json");
  const proxy = new ForwardProxy({
    socketFile: join(place.base, "proxy.net"),
    ownPorts: () => [],
    ...(options.resolveHost === undefined ? {} : { resolveHost: options.resolveHost }),
  });
  const servers = new McpServers({
    file,
    workspace,
    stateDir,
    environment,
    variableNames: () => [...variables.keys()].filter((name) => name !== "OPENAI_API_KEY"),
    clock,
    log,
    version: "0.0.0-test",
    limits: { ...MCP_LIMITS, ...options.limits },
    confinement: {
      sandbox: options.sandbox ?? noSandbox(),
      home: place.home,
      closed: [stateDir, join(workspace, "agents")],
      proxy,
    },
    credentials,
    agentPaths: () => [workspace],
    mcpConfirm: () => "none",
    knownTools: { findTool: () => Promise.resolve(undefined), keepTool: () => Promise.resolve() },
    isFirstWarning: () => Promise.resolve(false),
  });
  return {
    servers,
    log,
    /** The stored sign-ins. */
    credentials,
    /** The tokens that are redacted. */
    secrets,
    workspace,
    stateDir,
    /** The environment variables, which tests may change. */
    variables,
    /** Writes mcp-servers.json. A string is written unchanged. */
    define: (content: Record<string, unknown> | string) =>
      Deno.writeTextFile(file, typeof content === "string" ? content : JSON.stringify(content)),
    /** Returns the tools of these servers by name. */
    tools: async (mcp: string[], taken: string[] = []) =>
      new Map((await servers.openTools({ mcp }, { taken })).tools.map((tool) => [tool.name, tool])),
    /** Checks the arguments of one call and runs it, like the runtime. */
    call: async (
      tool: ActionTool | undefined,
      args: Record<string, unknown> = {},
      context: Partial<ToolContext> = {},
    ): Promise<string> => {
      assert.ok(tool, "the tool is not there");
      const result = await tool.run(tool.check(args), {
        ...testContext(place.sandbox(), { clock }),
        ...context,
      });
      return typeof result === "string" ? result : result.content;
    },
    async [Symbol.asyncDispose]() {
      await servers[Symbol.asyncDispose]();
      proxy[Symbol.dispose]();
      if (options.fixture === undefined) await place[Symbol.asyncDispose]();
    },
  };
}

/** Defines a test that gets a workspace with an mcp-servers.json. */
export function testMcp(
  name: string,
  body: (world: McpWorld, t: Deno.TestContext) => Promise<void>,
): void {
  Deno.test(name, async (t) => {
    await using world = await openMcpWorld();
    await body(world, t);
  });
}

/** Returns true if a process exists and is no zombie. */
export const isRunning = systemProcesses.isAlive;

// The export makes this module load the server package, so that programs find it in Deno's cache.
export { FixtureHttpServer } from "./http_server.ts";
