// All tools of one agent: the built-in ones, and those that its file adds.
import type { Agent } from "../agents/agent.ts";
import { createRunAgent } from "./builtin/run_agent.ts";
import type { CustomTools } from "./custom/custom_tools.ts";
import type { IdleGuards } from "./http/idle_guards.ts";
import type { Tell } from "./mcp/mcp_server.ts";
import type { McpServers } from "./mcp/mcp_servers.ts";
import type { SkillDescription, Skills } from "./skills/skills.ts";
import type { Tool } from "./tool.ts";
import { Toolbox } from "./toolbox.ts";
import { ToolsUnavailable } from "./tools_unavailable.ts";
import { describeNameClash } from "./name_clash.ts";

/** The tools of an agent, and what its prompt says of them. */
export interface AgentTools {
  toolbox: Toolbox;
  skills: readonly SkillDescription[];
  /** What runs without the sandbox that it should have, as a sentence with the remedy. */
  sandboxGap?: string;
}

/** Where tools come from. What an agent does not name is not opened. */
export interface ToolSources {
  /** What every agent has. */
  builtin: readonly Tool[];
  idleGuards: IdleGuards;
  /** The agent as its file stands now. */
  findAgent(id: string): Agent | undefined;
  openSkills(): Promise<Skills>;
  openCustomTools(): Promise<CustomTools>;
  openMcpServers(): Promise<McpServers>;
  /** See AgentTools; asked of agents that may start programs. */
  findSandboxGap(agent: Agent): Promise<string | undefined>;
}

/** `tell`: is told what is waited for. */
export interface OpenToolsOptions {
  signal: AbortSignal;
  tell?: Tell;
}

/** Puts the tools of agents together. */
export class ToolCatalog {
  readonly #sources: ToolSources;

  constructor(sources: ToolSources) {
    this.#sources = sources;
  }

  /**
   * The tools of an agent as its file stands. Throws ToolsUnavailable for one that is not available, and the signal's
   * reason.
   */
  async openTools(agent: Agent, { signal, tell }: OpenToolsOptions): Promise<AgentTools> {
    const { builtin, findAgent } = this.#sources;
    const tools = [...builtin];
    if (agent.agents.length > 0) tools.push(createRunAgent(agent, findAgent));
    const skills = agent.skills.length === 0
      ? undefined
      : await (await this.#sources.openSkills()).open(agent);
    tools.push(...skills?.tools ?? []);
    if (agent.customTools.length > 0) {
      const custom = await (await this.#sources.openCustomTools()).openTools(agent, { signal });
      refuseClashes(custom, tools);
      tools.push(...custom);
    }
    if (agent.mcp.length > 0) {
      const servers = await this.#sources.openMcpServers();
      const taken = tools.map(({ name }) => name);
      tools.push(...await servers.openTools(agent, { taken, signal, ...(tell && { tell }) }));
    }
    this.#sources.idleGuards.look(agent, tools);
    const sandboxGap = [agent.skills, agent.customTools, agent.mcp].some(({ length }) => length > 0)
      ? await this.#sources.findSandboxGap(agent)
      : undefined;
    return {
      toolbox: new Toolbox(tools),
      skills: skills?.described ?? [],
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
