// Opens the skills of agents: the tools that a run gets, and the descriptions for its model.
import type { Agent } from "../../agents/agent.ts";
import type { Tool } from "../definition/tool.ts";
import type { BuiltinToolWith } from "../../vocabulary/builtin_tools.ts";
import type { SkillDescription } from "../../vocabulary/prompt_material.ts";
import { ToolsUnavailable } from "../failures/tools_unavailable.ts";
import { describeBroken, SkillLibrary, type SkillLibraryOptions } from "./skill_library.ts";
import { createSkillReadFile } from "./skill_read_file.ts";
import { createSkillRunScript, type SkillScriptOptions } from "./skill_run_script.ts";
import { createSkillUse } from "./skill_use.ts";

/** The skills of an agent at the beginning of a run, as tools and as descriptions for the prompt. */
export interface AgentSkills {
  /** The tools for using skills. Empty if the agent has no skills. */
  tools: Tool[];
  described: SkillDescription[];
}

/** The skills of a workspace. Nothing is cached: each run and each use reads a skill again. */
export class Skills {
  readonly #library: SkillLibrary;
  readonly #tools: Readonly<Record<BuiltinToolWith<{ field: "skills" }>, Tool>>;

  constructor(options: SkillLibraryOptions & SkillScriptOptions) {
    this.#library = new SkillLibrary(options);
    this.#tools = {
      skill_use: createSkillUse(this.#library),
      skill_read_file: createSkillReadFile(this.#library),
      skill_run_script: createSkillRunScript(this.#library, options),
    };
  }

  /**
   * Returns the tools and descriptions of the agent's skills. Throws ToolsUnavailable with the names and errors of all
   * missing or broken skills.
   */
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
    return { tools: Object.values(this.#tools), described };
  }
}
