// Asks the user for an agent if the command was called without an agent.
import { hasPerson } from "./ask_person.ts";
import { openReader } from "../service/connection.ts";
import type { CommandContext } from "../context/context.ts";
import { Interrupted } from "../context/exit.ts";
import { toOneLine } from "../output/sanitize.ts";
import { shorten } from "../output/width.ts";
import { agentMissing } from "../context/unknown_agent.ts";

/** The columns that the prompt uses before each choice. */
const LIST_MARGIN = 6;

/**
 * Returns the id of the agent that the user picks. Throws CommandFailure if there is no terminal or no agent, and
 * Interrupted if the user picks none.
 */
export async function pickAgent(
  context: CommandContext,
  command: "run" | "chat",
): Promise<string> {
  const { app, output, workspace } = context;
  await using reader = await openReader(app, workspace);
  const agents = await reader.client.agents();
  if (!hasPerson(context) || agents.length === 0) {
    throw agentMissing(command, agents.map(({ id }) => id));
  }
  const picked = await app.input.prompter.search({
    message: "Which agent?",
    choices: agents.map(({ id, icon, display_name: name, description }) => {
      const hint = toOneLine(description);
      const label = toOneLine(name === id ? `${icon} ${id}` : `${icon} ${id} · ${name}`);
      return {
        value: id,
        label: shorten(label, output.stdout.columns - LIST_MARGIN),
        ...(hint !== "" && { hint }),
      };
    }),
  });
  if (picked === undefined) throw new Interrupted();
  return picked;
}
