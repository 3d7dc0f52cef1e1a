// Manages the MCP servers of a workspace: reads mcp-servers.json, keeps a server for each entry in use, and creates the
// agents' MCP tools.
import type { Agent } from "../../agents/agent.ts";
import type { McpConfirm } from "../../config/agent_settings.ts";
import type { Environment } from "../../config/files/environment.ts";
import type { JsonObject } from "../../../base/json.ts";
import { suggest } from "../../../base/text/suggestion.ts";
import type { OpenToolsOptions } from "../definition/open_tools_options.ts";
import type { ActionTool } from "../definition/tool.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import { ToolsUnavailable } from "../failures/tools_unavailable.ts";
import { admitTool, type KnownToolStore } from "./listing/known_tools.ts";
import { ListedTools } from "./listing/listed_tools.ts";
import { MCP_LIMITS, type McpLimits } from "./mcp_limits.ts";
import { McpServer } from "./mcp_server.ts";
import { type ResolvedServer, resolveServer } from "./servers_file/resolve_server.ts";
import type { ParsedServer } from "./servers_file/parse_servers.ts";
import { isChosen, type ServerDefinition } from "./servers_file/server_definition.ts";
import { ServersFile } from "./servers_file/servers_file.ts";
import { SessionExpired, toFailedCall, toUnavailable } from "./server_unavailable.ts";
import type { SessionPorts } from "./server_link.ts";
import type { CallOptions } from "./session.ts";
import { nameTools } from "./listing/tool_names.ts";
import { createMcpTool } from "./mcp_tool.ts";
import type { RemoteTool } from "./listing/remote_tool.ts";
import type { ServerInstructions } from "../../vocabulary/prompt_material.ts";
import { requestedTools } from "../../vocabulary/tool_vocabulary.ts";

const ENDED = "The MCP servers have been ended";

/** The options of McpServers. */
export interface McpServersOptions extends Omit<SessionPorts, "limits"> {
  /** The path of mcp-servers.json. */
  file: string;
  /** The absolute path of the workspace. A program's `cwd` is relative to it. */
  workspace: string;
  /** The absolute path of the state folder. Programs without `cwd` start in folders of their own in it. */
  stateDir: string;
  environment: Environment;
  limits?: McpLimits;
  /** Returns the absolute paths that the agents with this server may use. */
  agentPaths(server: string): string[];
  /** Returns the current value of `defaults.mcp_confirm`. Returns undefined if config.yaml does not set it. */
  mcpConfirm(): McpConfirm | undefined;
  /** The store of the fingerprints of used tools. Undefined in a workspace in which no tool of a server is called. */
  knownTools?: KnownToolStore;
  /** Returns true if the warning with this name was never logged for the workspace. */
  isFirstWarning(warning: string): Promise<boolean>;
}

/**
 * The MCP servers of a workspace. Each server that an agent names has one session, which starts with the first run that
 * needs it.
 */
export class McpServers implements AsyncDisposable {
  readonly #options: McpServersOptions;
  readonly #file: ServersFile;
  /** The entries by name, as they were when the file was last read. */
  #entries: ReadonlyMap<string, ResolvedServer> = new Map();
  readonly #servers = new Map<string, McpServer>();
  readonly #retiring = new Set<McpServer>();
  /** The warnings about entries that were logged already. */
  readonly #warned = new Set<string>();
  readonly #listed: ListedTools;
  #isClosed = false;

  constructor(options: McpServersOptions) {
    this.#options = options;
    this.#listed = new ListedTools(options.stateDir);
    this.#file = new ServersFile(options.file);
  }

  /**
   * Returns the tools of the servers that an agent names, under names that are not in `taken`. If servers are unavailable,
   * passes the reasons to `onUnavailable`, or rejects with a ToolsUnavailable that contains all reasons. Rejects with the
   * signal's reason on abort.
   */
  async openTools(
    { mcp, ...agent }: Pick<Agent, "mcp" | "mcpTools">,
    options: Partial<OpenToolsOptions> & { taken: readonly string[] },
  ): Promise<{
    tools: ActionTool[];
    /** The instructions of the servers that have at least one of the tools. */
    servers: readonly ServerInstructions[];
    /** Returns true if a server may offer other tools now. Sends no request. */
    mayHaveChanged(): boolean;
  }> {
    if (mcp.length === 0) return { tools: [], servers: [], mayHaveChanged: () => false };
    const { onUnavailable } = options;
    const entries = this.#readFile();
    if (onUnavailable === undefined) {
      for (const name of mcp) this.#warn(name, entries.get(name)?.warnings ?? []);
    }
    const signal = options.signal ?? new AbortController().signal;
    const outcomes = await Promise.allSettled(
      [...new Set(mcp)].map(async (server) => {
        const listed = await this.#server(server).tools(signal, options.report);
        if (onUnavailable === undefined) await this.#listed.save(server, listed);
        const { definition, limits, instructions } = this.#server(server);
        const { tools: choice, autoApprove } = definition;
        const tools = listed
          .filter(({ name }) => isChosen(name, choice, requestedTools(agent, server)))
          .map((tool) => ({ server, tool, autoApprove, limits }));
        return { server, listed, tools, instructions };
      }),
    );
    signal.throwIfAborted();
    const problems = outcomes.flatMap((one) => one.status === "rejected" ? [one.reason] : []);
    const messages = problems.map((one) => one instanceof Error ? one.message : String(one));
    if (onUnavailable !== undefined) messages.forEach(onUnavailable);
    else if (problems.length > 0) throw toUnavailable(messages.join("\n"), problems);
    const opened = outcomes.flatMap((one) => one.status === "fulfilled" ? [one.value] : []);
    const found = opened.flatMap(({ tools }) => tools);
    if (onUnavailable === undefined) {
      const undecided = found.filter(({ autoApprove }) => autoApprove === undefined);
      await this.#warnOfUnasked(undecided.map(({ tool }) => tool));
    }
    const wanted = found.map(({ server, tool }) => ({ server, tool: tool.name }));
    const names = nameTools(wanted, options.taken);
    const tools = await Promise.all(
      found.map(({ server, tool, autoApprove, limits }, index) =>
        createMcpTool(tool, {
          name: names[index] ?? tool.name,
          server,
          autoApprove,
          limits,
          call: (args, context) =>
            this.#call({ server, tool: tool.name, args }, {
              ...context,
              admit: (listed) =>
                admitTool(server, listed, { ...this.#options, answers: context.answers }),
            }),
        })
      ),
    );
    return {
      tools,
      servers: opened.filter(({ tools, instructions }) => tools.length > 0 && instructions !== "")
        .map(({ server, instructions }) => ({ server, instructions })),
      mayHaveChanged: () =>
        opened.some(({ server, listed }) => this.#servers.get(server)?.mayDiffer(listed)),
    };
  }

  /** Ends all sessions. Resolves when all programs that were started have ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    const servers = [...this.#servers.values(), ...this.#retiring];
    await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
  }

  async #call(
    call: { server: string; tool: string; args: JsonObject },
    options: CallOptions,
  ): Promise<string> {
    try {
      // The server is searched by its name at each call, because its entry may have changed during the run.
      return await this.#server(call.server).call(call.tool, call.args, options);
    } catch (error) {
      if (!(error instanceof SessionExpired)) throw toFailedCall(error);
      if (this.#isClosed) throw new ToolFailure(ENDED, { cause: error });
      // The entry changed before the server received the call, so the server of the new entry gets it.
      return await this.#call(call, options);
    }
  }

  #server(name: string): McpServer {
    const known = this.#servers.get(name);
    if (known !== undefined) return known;
    if (this.#isClosed) throw new ToolsUnavailable(ENDED);
    const entry = this.#entries.get(name);
    const { path } = this.#file;
    if (entry === undefined) {
      const nearest = suggest(name, this.#entries.keys());
      const hint = nearest === undefined ? "" : ` (did you mean "${nearest}"?)`;
      throw new ToolsUnavailable(`The MCP server "${name}" is not defined in ${path}${hint}`);
    }
    if ("problem" in entry) {
      const problem = `The MCP server "${name}" cannot be used: ${entry.problem} (${path})`;
      throw new ToolsUnavailable(problem);
    }
    const { limits = MCP_LIMITS, ...ports } = this.#options;
    const server = new McpServer(name, entry, { ...ports, limits: limitsOf(entry, limits) });
    this.#servers.set(name, server);
    return server;
  }

  /** Reads the file, and replaces servers whose entry has changed. Returns the entries as they are written. */
  #readFile(): ReadonlyMap<string, ParsedServer> {
    const content = this.#file.read();
    // An invalid file may be half written, so running servers continue.
    if ("problem" in content) throw new ToolsUnavailable(content.problem);
    const { environment, workspace, stateDir, agentPaths } = this.#options;
    const directories = { workspace, stateDir };
    this.#entries = new Map(
      [...content.servers].map(([name, server]) => [
        name,
        resolveServer(name, server, { directories, environment, agentPaths: agentPaths(name) }),
      ]),
    );
    for (const [name, server] of this.#servers) {
      if (server.matches(this.#entries.get(name))) continue;
      // The running calls of the old server continue in their session, which then ends.
      this.#servers.delete(name);
      this.#retiring.add(server);
      void server.retire().finally(() => this.#retiring.delete(server));
    }
    return content.servers;
  }

  /**
   * Logs, once per workspace, that MCP tools may change things without asking. A workspace that is older than the setting
   * `mcp_confirm` keeps that behavior.
   */
  async #warnOfUnasked(tools: readonly RemoteTool[]): Promise<void> {
    const { mcpConfirm, isFirstWarning, log } = this.#options;
    if (mcpConfirm() !== undefined || tools.every(({ effect }) => effect === "read")) return;
    if (!await isFirstWarning("mcp_confirm")) return;
    const message = "Tools of MCP servers change things without asking: " +
      "config.yaml does not set defaults.mcp_confirm (writes: they ask; none: they never ask)";
    log.write("warn", message);
  }

  #warn(server: string, warnings: readonly string[]): void {
    for (const warning of warnings.map((one) => `The MCP server "${server}": ${one}`)) {
      if (this.#warned.has(warning)) continue;
      this.#warned.add(warning);
      this.#options.log.write("warn", warning, { file: this.#file.path });
    }
  }
}

/** Returns the limits of a server. If its entry sets a longer time for a call, the server gets the same time to start. */
function limitsOf({ timeoutMs: callMs }: ServerDefinition, limits: McpLimits): McpLimits {
  if (callMs === undefined) return limits;
  const { connectMs, longestCallMs } = limits;
  return {
    ...limits,
    callMs,
    connectMs: Math.max(connectMs, callMs),
    longestCallMs: Math.max(longestCallMs, callMs),
  };
}
