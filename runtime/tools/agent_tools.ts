// All tools of one agent: the built-in ones, and those that its file adds.
import type { Agent } from "../agents/agent.ts";
import { createRunAgent } from "./builtin/run_agent.ts";
import type { SkillDescription } from "./skills/skills.ts";
import type { Tool } from "./tool.ts";
import { Toolbox } from "./toolbox.ts";

/** The tools of an agent, and what its prompt tells of them. */
export interface AgentTools {
  toolbox: Toolbox;
  skills: readonly SkillDescription[];
}

/** Where tools come from. */
export interface ToolSources {
  /** What every agent has. */
  builtin: readonly Tool[];
  /** The agent as its file stands now. */
  findAgent(id: string): Agent | undefined;
}

/** Puts the tools of agents together. */
export class ToolShed {
  readonly #sources: ToolSources;

  constructor(sources: ToolSources) {
    this.#sources = sources;
  }

  /** The tools of an agent as its file stands. Throws ToolsUnavailable for one that cannot be had. */
  openTools(agent: Agent): Promise<AgentTools> {
    const { builtin, findAgent } = this.#sources;
    const tools = [...builtin];
    if (agent.agents.length > 0) tools.push(createRunAgent(agent, findAgent));
    return Promise.resolve({ toolbox: new Toolbox(tools), skills: [] });
  }
}
