// Names in an agent's `confirm` that none of its tools has: what was to be guarded is not, and somebody should know.
import type { Agent } from "../../agents/agent.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";
import { suggest } from "../../../base/text/suggestion.ts";
import { isEveryTool } from "../../tool_names.ts";
import type { Tool } from "../tool.ts";

/** What telling of such names needs. */
export interface IdleGuardsOptions {
  log: ServiceLog;
  /** Guarded for every agent, whether or not it has such a tool. */
  defaults: () => readonly string[];
}

/** Warns of each such name once. */
export class IdleGuards {
  readonly #log: ServiceLog;
  readonly #defaults: () => readonly string[];
  readonly #warned = new Set<string>();

  constructor({ log, defaults }: IdleGuardsOptions) {
    this.#log = log;
    this.#defaults = defaults;
  }

  /** Looks at the tools that a run of this agent has. */
  look({ id, confirmTools }: Pick<Agent, "id" | "confirmTools">, tools: readonly Tool[]): void {
    const names = new Set(tools.flatMap(({ name, otherNames = [] }) => [name, ...otherNames]));
    for (const guard of confirmTools) {
      if (names.has(guard) || isEveryTool(guard) || this.#defaults().includes(guard)) continue;
      const key = JSON.stringify([id, guard]);
      if (this.#warned.has(key)) continue;
      this.#warned.add(key);
      const nearest = suggest(guard, names);
      const hint = nearest === undefined ? "" : ` (did you mean "${nearest}"?)`;
      const message = `confirm names "${guard}", and the agent has no such tool${hint}`;
      this.#log.write("warn", message, { agent: id });
    }
  }
}
