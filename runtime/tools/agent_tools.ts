// Opens the tools of one agent: the built-in tools, and the skills, custom tools and MCP servers that its file names.
import type { Agent } from "../agents/agent.ts";
import { createRunAgent } from "./builtin/run_agent.ts";
import type { CustomTools } from "./custom/custom_tools.ts";
import type { UnmatchedGuards } from "./unmatched_guards.ts";
import type { McpServers } from "./mcp/mcp_servers.ts";
import type { OpenToolsOptions } from "./definition/open_tools_options.ts";
import type { AgentSkills, Skills } from "./skills/skills.ts";
import type { Tool } from "./definition/tool.ts";
import { Toolbox } from "./toolbox.ts";
import { ToolsUnavailable } from "./failures/tools_unavailable.ts";
import { describeNameClash } from "./name_clash.ts";
import { yieldsName } from "../vocabulary/builtin_tools.ts";
import { WEB_SEARCH } from "../vocabulary/tool_vocabulary.ts";
import type { ServerInstructions, SkillDescription } from "../vocabulary/prompt_material.ts";

/** An agent's tools and skill descriptions. */
export interface AgentTools {
  toolbox: Toolbox;
  skills: readonly SkillDescription[];
  /** The instructions of the MCP servers whose tools the toolbox contains. */
  servers?: readonly ServerInstructions[];
  /** Returns true if an MCP server may offer other tools now. Sends no request. Absent without such servers. */
  mayHaveChanged?(): boolean;
  /** True for the tools of a replay, whose notices are replayed, too. */
  isPlayed?: true;
  /**
   * A sentence for the user: the agent's programs run without a sandbox, and how to install it. Undefined if they run in
   * one.
   */
  sandboxGap?: string;
}

/** The sources of an agent's tools. Each `open…` function is called only for an agent that uses its tools. */
export interface ToolSources {
  /** The tools that every agent has. */
  builtin: readonly Tool[];
  idleGuards: UnmatchedGuards;
  /**
   * Returns the tool web_search, or undefined if a custom tool has this name. Throws ToolsUnavailable if config.yaml names
   * no service, except with `offline`.
   */
  openWebSearch(options: { offline: boolean }): Promise<Tool | undefined>;
  openSkills(): Promise<Skills>;
  openCustomTools(): Promise<CustomTools>;
  openMcpServers(): Promise<McpServers>;
  /** Opens the shell of an agent that has one. Undefined if config.yaml requires a sandbox that is missing. */
  openShell(agent: Agent, options: Pick<OpenToolsOptions, "offline">): Promise<Tool | undefined>;
  /** Opens the mail tools of an agent that has an account. */
  openMailTools(agent: Agent): Promise<Tool[]>;
  /** Returns the text of AgentTools.sandboxGap. Called only for an agent that may start programs. */
  findSandboxGap(agent: Agent): Promise<string | undefined>;
}

/** The sources of tools, from which the tools of each agent are opened. */
export class ToolCatalog {
  readonly #sources: ToolSources;

  constructor(sources: ToolSources) {
    this.#sources = sources;
  }

  /**
   * Returns the built-in tools, without the ones that the agent's file leaves out or replaces, and the tools that the file
   * names. If a tool is unavailable, passes the reason to
   * `onUnavailable`, or throws ToolsUnavailable without that function. Throws the signal's reason on abort.
   */
  async openTools(agent: Agent, options: OpenToolsOptions): Promise<AgentTools> {
    const { builtin } = this.#sources;
    const { signal, onUnavailable, offline } = options;
    // With `onUnavailable`, each skill and custom tool is opened separately, so that a failure leaves out nothing else.
    const parts = (names: string[]) =>
      onUnavailable === undefined
        ? (names.length === 0 ? [] : [names])
        : names.map((name) => [name]);
    const unlessLeftOut = async (open: () => Promise<void>) => {
      try {
        await open();
      } catch (error) {
        if (onUnavailable === undefined || !(error instanceof ToolsUnavailable)) throw error;
        onUnavailable(error.message);
      }
    };
    const tools = [...builtin];
    if (agent.agents.length > 0) tools.push(createRunAgent(agent));
    const shell = agent.shell && await this.#sources.openShell(agent, options);
    if (shell !== undefined) tools.push(shell);
    if (agent.mail !== undefined) tools.push(...await this.#sources.openMailTools(agent));
    const skills: AgentSkills = { tools: [], described: [] };
    for (const names of parts(agent.skills)) {
      await unlessLeftOut(async () => {
        const opened = await (await this.#sources.openSkills()).open({ skills: names });
        skills.tools = opened.tools;
        skills.described.push(...opened.described);
      });
    }
    tools.push(...skills.tools);
    let modules = agent.customTools;
    if (modules.includes(WEB_SEARCH)) {
      await unlessLeftOut(async () => {
        const search = await this.#sources.openWebSearch({ offline: offline === true });
        if (search === undefined) return;
        tools.push(search);
        modules = modules.filter((name) => name !== WEB_SEARCH);
      });
    }
    const own = tools.filter(({ name }) => !agent.leftOut.includes(name));
    const fixed = own.filter(({ name }) => !yieldsName(name));
    const added: Tool[] = [];
    for (const customTools of offline ? [] : parts(modules)) {
      await unlessLeftOut(async () => {
        const custom = await (await this.#sources.openCustomTools())
          .openTools({ id: agent.id, customTools }, { signal });
        refuseClashes(custom, [...fixed, ...added]);
        added.push(...custom);
      });
    }
    let fromServers: Pick<AgentTools, "servers" | "mayHaveChanged"> = {};
    if (agent.mcp.length > 0 && !offline) {
      await unlessLeftOut(async () => {
        const servers = await this.#sources.openMcpServers();
        const taken = [...fixed, ...added].map(({ name }) => name);
        const opened = await servers.openTools(agent, { ...options, taken });
        added.push(...opened.tools);
        fromServers = { servers: opened.servers, mayHaveChanged: opened.mayHaveChanged };
      });
    }
    // Custom tools that are not opened are assumed to have the names of their files.
    const names = new Set([...added.map(({ name }) => name), ...offline ? modules : []]);
    const all = [...own.filter((one) => fixed.includes(one) || !names.has(one.name)), ...added];
    if (onUnavailable === undefined) this.#sources.idleGuards.warnUnmatched(agent, all);
    const sandboxGap = !offline && (agent.shell !== undefined ||
        [agent.skills, modules, agent.mcp].some(({ length }) => length > 0))
      ? await this.#sources.findSandboxGap(agent)
      : undefined;
    return {
      toolbox: new Toolbox(all),
      skills: skills.described,
      ...fromServers,
      ...(sandboxGap === undefined ? {} : { sandboxGap }),
    };
  }
}

function refuseClashes(custom: readonly Tool[], others: readonly Tool[]): void {
  const taken = new Set(others.map(({ name }) => name));
  for (const { name } of custom) {
    const clash = describeNameClash(name, taken);
    if (clash !== undefined) throw new ToolsUnavailable(clash);
    taken.add(name);
  }
}
