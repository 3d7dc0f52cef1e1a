// The tools of one agent: the built-in tools, and the tools that its file adds.
import type { Agent } from "../agents/agent.ts";
import { createRunAgent } from "./builtin/run_agent.ts";
import type { CustomTools } from "./custom/custom_tools.ts";
import type { UnmatchedGuards } from "./unmatched_guards.ts";
import type { McpServers } from "./mcp/mcp_servers.ts";
import type { OpenToolsOptions } from "./definition/open_tools_options.ts";
import type { AgentSkills, SkillDescription, Skills } from "./skills/skills.ts";
import type { Tool } from "./definition/tool.ts";
import { Toolbox } from "./toolbox.ts";
import { ToolsUnavailable } from "./failures/tools_unavailable.ts";
import { describeNameClash } from "./name_clash.ts";

/** An agent's tools and skill descriptions. */
export interface AgentTools {
  toolbox: Toolbox;
  skills: readonly SkillDescription[];
  /** A sentence about programs that run without their sandbox, with the remedy. */
  sandboxGap?: string;
}

/** The sources of tools. A source is opened only for an agent that uses it. */
export interface ToolSources {
  /** The tools of every agent. */
  builtin: readonly Tool[];
  idleGuards: UnmatchedGuards;
  openSkills(): Promise<Skills>;
  openCustomTools(): Promise<CustomTools>;
  openMcpServers(): Promise<McpServers>;
  /** Describes a missing sandbox (see AgentTools). Called for agents that may start programs. */
  findSandboxGap(agent: Agent): Promise<string | undefined>;
}

/** Opens the tools of agents. */
export class ToolCatalog {
  readonly #sources: ToolSources;

  constructor(sources: ToolSources) {
    this.#sources = sources;
  }

  /**
   * Opens the tools that an agent's file names. For an unavailable one, throws ToolsUnavailable, or calls `onUnavailable` if it
   * is given. Throws the signal's reason on abort.
   */
  async openTools(agent: Agent, options: OpenToolsOptions): Promise<AgentTools> {
    const { builtin } = this.#sources;
    const { signal, onUnavailable, offline } = options;
    // With `onUnavailable` each name is opened separately, so that one failure leaves out only itself.
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
    const skills: AgentSkills = { tools: [], described: [] };
    for (const names of parts(agent.skills)) {
      await unlessLeftOut(async () => {
        const opened = await (await this.#sources.openSkills()).open({ skills: names });
        skills.tools = opened.tools;
        skills.described.push(...opened.described);
      });
    }
    tools.push(...skills.tools);
    for (const customTools of offline ? [] : parts(agent.customTools)) {
      await unlessLeftOut(async () => {
        const custom = await (await this.#sources.openCustomTools())
          .openTools({ id: agent.id, customTools }, { signal });
        refuseClashes(custom, tools);
        tools.push(...custom);
      });
    }
    if (agent.mcp.length > 0 && !offline) {
      await unlessLeftOut(async () => {
        const servers = await this.#sources.openMcpServers();
        const taken = tools.map(({ name }) => name);
        tools.push(...await servers.openTools(agent, { ...options, taken }));
      });
    }
    if (onUnavailable === undefined) this.#sources.idleGuards.warnUnmatched(agent, tools);
    const sandboxGap =
      !offline && [agent.skills, agent.customTools, agent.mcp].some(({ length }) => length > 0)
        ? await this.#sources.findSandboxGap(agent)
        : undefined;
    return {
      toolbox: new Toolbox(tools),
      skills: skills.described,
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
