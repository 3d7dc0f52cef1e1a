// Names in an agent's `confirm`, and patterns in its `auto_approve`, that mean none of its tools: somebody should know.
import type { Agent } from "../../agents/agent.ts";
import { namesTool } from "../../agents/guarded_tools.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";
import { suggest } from "../../../base/text/suggestion.ts";
import { isEveryTool } from "../../tool_vocabulary.ts";
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
  look(
    { id, confirmTools, autoApprove, mcp }: Pick<
      Agent,
      "id" | "confirmTools" | "autoApprove" | "mcp"
    >,
    tools: readonly Tool[],
  ): void {
    const isIdle = (entry: string) => !tools.some((tool) => namesTool(entry, tool, mcp));
    const guards = confirmTools.filter((guard) =>
      !isEveryTool(guard) && !this.#defaults().includes(guard) && isIdle(guard)
    );
    const patterns = autoApprove === "*" ? [] : autoApprove.filter((one) => one.includes("/"));
    const idle = [
      ...guards.map((entry) => ({ field: "confirm", entry })),
      ...patterns.filter(isIdle).map((entry) => ({ field: "auto_approve", entry })),
    ];
    for (const { field, entry } of idle) {
      const key = JSON.stringify([id, field, entry]);
      if (this.#warned.has(key)) continue;
      this.#warned.add(key);
      const names = tools.flatMap(({ name, otherNames = [], origin }) =>
        entry.includes("/")
          ? origin === undefined ? [] : [`${origin.server}/${origin.tool}`]
          : [name, ...otherNames]
      );
      const nearest = suggest(entry, names);
      const hint = nearest === undefined ? "" : ` (did you mean "${nearest}"?)`;
      const message = `${field} names "${entry}", and the agent has no such tool${hint}`;
      this.#log.write("warn", message, { agent: id });
    }
  }
}
