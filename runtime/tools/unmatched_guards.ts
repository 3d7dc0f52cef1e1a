// Logs warnings about entries of an agent's `confirm` or `auto_approve` setting that match none of its tools.
import type { Agent } from "../agents/agent.ts";
import { matchesOrigin, namesTool } from "../agents/guarded_tools.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import { suggest } from "../../base/text/suggestion.ts";
import { isEveryTool } from "../vocabulary/tool_vocabulary.ts";
import type { Tool } from "./definition/tool.ts";

/** The log of warnings about unmatched entries. Each agent's entry causes only one warning. */
export class UnmatchedGuards {
  readonly #log: ServiceLog;
  readonly #defaults: () => readonly string[];
  readonly #warned = new Set<string>();

  /**
   * `defaults` returns the guards that config.yaml sets for every agent. No warning is logged if such a guard matches no tool
   * of an agent.
   */
  constructor({ log, defaults }: { log: ServiceLog; defaults: () => readonly string[] }) {
    this.#log = log;
    this.#defaults = defaults;
  }

  /** Logs a warning for each entry that matches none of `tools`, unless the same warning was logged before. */
  warnUnmatched(
    { id, confirmTools, autoApprove, mcp }: Pick<
      Agent,
      "id" | "confirmTools" | "autoApprove" | "mcp"
    >,
    tools: readonly Tool[],
  ): void {
    const guards = confirmTools.filter((guard) =>
      !isEveryTool(guard) && !this.#defaults().includes(guard) &&
      !tools.some((tool) => namesTool(guard, tool, mcp))
    );
    const approvals = (autoApprove === "*" ? [] : autoApprove).filter((entry) =>
      !tools.some(({ name, origin }) => entry === name || matchesOrigin(entry, origin, mcp))
    );
    const idle = [
      ...guards.map((entry) => ({ field: "confirm", entry })),
      ...approvals.map((entry) => ({ field: "auto_approve", entry })),
    ];
    for (const { field, entry } of idle) {
      const key = JSON.stringify([id, field, entry]);
      if (this.#warned.has(key)) continue;
      this.#warned.add(key);
      const names = tools.flatMap(({ name, otherNames = [], origin }) =>
        entry.includes("/")
          ? origin === undefined ? [] : [`${origin.server}/${origin.tool}`]
          : [name, ...field === "confirm" ? otherNames : []]
      );
      const nearest = suggest(entry, names);
      const hint = nearest === undefined ? "" : ` (did you mean "${nearest}"?)`;
      const message = `${field} names "${entry}", but the agent has no such tool${hint}`;
      this.#log.write("warn", message, { agent: id });
    }
  }
}
