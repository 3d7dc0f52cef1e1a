// `inkling enable`: lets the trigger of an agent fire.
import { performs } from "../../command_line/command.ts";
import type { enable } from "../../declarations/authoring_commands.ts";
import { unknownAgent } from "../../context/unknown_agent.ts";
import { toOneLine } from "../../output/sanitize.ts";

/** Removes `enabled: false` from the agent's file, and prints the path of the file. */
export const perform = performs<typeof enable>(
  async ({ app, output, ...place }, _options, { agent }) => {
    const changed = await app.enableAgent(agent, place);
    if (changed === undefined) {
      const ids = await app.agentNames(place);
      throw unknownAgent(agent, ids.map((id) => ({ id })));
    }
    if (!changed.changed) return output.note(`${toOneLine(agent)} is enabled already`);
    output.line(`${output.style.green("✔")} ${toOneLine(changed.path)}`);
  },
);
