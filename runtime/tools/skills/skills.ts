// The skills of agents: what a run may use, and what its model is told of it.
import type { Agent } from "../../agents/agent.ts";
import type { Tool } from "../tool.ts";
import { ToolsUnavailable } from "../tools_unavailable.ts";
import { describeBroken, SkillLibrary, type SkillLibraryOptions } from "./skill_library.ts";
import { createSkillReadFile } from "./skill_read_file.ts";
import { createSkillRunScript, type SkillScriptOptions } from "./skill_run_script.ts";
import { createSkillUse } from "./skill_use.ts";

/** A skill as a prompt names it. */
export interface SkillDescription {
  name: string;
  /** What its arguments are: `[topic]`. */
  argumentHint?: string;
  description: string;
}

/** What an agent has of skills at the beginning of a run. */
export interface AgentSkills {
  /** None where the agent has no skills. */
  tools: Tool[];
  described: SkillDescription[];
}

/** Where skills stand and how their scripts run. */
export interface SkillsOptions extends SkillLibraryOptions, SkillScriptOptions {}

/** Opens skills for runs. Holds nothing of them: a skill is read anew by each run and each use. */
export class Skills {
  readonly #library: SkillLibrary;
  readonly #tools: readonly Tool[];

  constructor(options: SkillsOptions) {
    this.#library = new SkillLibrary(options);
    this.#tools = [
      createSkillUse(this.#library),
      createSkillReadFile(this.#library),
      createSkillRunScript(this.#library, options),
    ];
  }

  /** The tools and descriptions of the agent's skills. Throws ToolsUnavailable for all that are missing or broken. */
  async open(agent: Pick<Agent, "skills">): Promise<AgentSkills> {
    if (agent.skills.length === 0) return { tools: [], described: [] };
    const described: SkillDescription[] = [];
    const broken: string[] = [];
    for (const name of agent.skills) {
      const reading = await this.#library.read(name);
      if ("diagnostics" in reading) {
        broken.push(describeBroken(name, reading.diagnostics));
        continue;
      }
      const { description, argumentHint } = reading.skill;
      described.push({
        name,
        description,
        ...(argumentHint === undefined ? {} : { argumentHint }),
      });
    }
    if (broken.length > 0) throw new ToolsUnavailable(broken.join("\n"));
    return { tools: [...this.#tools], described };
  }
}
