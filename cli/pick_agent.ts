// Which agent a command is for, where none was named: picked from a list, if there is somebody to pick.
import { hasPerson } from "./ask_person.ts";
import { openReader } from "./connection.ts";
import type { CommandContext } from "./context.ts";
import { Interrupted } from "./exit.ts";
import { toOneLine } from "./output/sanitise.ts";
import { agentMissing } from "./unknown_agent.ts";

/** The id of the agent that the person picks. Throws CommandFailure without a terminal, Interrupted when they do not. */
export async function pickAgent(
  context: CommandContext,
  command: "run" | "chat",
): Promise<string> {
  const { app, workspace } = context;
  await using reader = await openReader(app, workspace);
  const agents = await reader.client.agents();
  if (!hasPerson(context) || agents.length === 0) {
    throw agentMissing(command, agents.map(({ id }) => id));
  }
  const picked = await app.input.prompter.search({
    message: "Which agent?",
    choices: agents.map(({ id, icon, description }) => {
      const hint = toOneLine(description);
      return {
        value: id,
        label: toOneLine(`${icon} ${id}`),
        ...(hint !== "" && { hint }),
      };
    }),
  });
  if (picked === undefined) throw new Interrupted();
  return picked;
}
