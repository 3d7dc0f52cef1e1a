// What `setup` has done, and what comes next.
import { toAgentWord } from "../agent_word.ts";
import { checkHealth } from "../service/connection.ts";
import type { CommandContext } from "../context.ts";
import { toOneLine } from "../output/sanitise.ts";
import type { SetupResult } from "./installation.ts";
import { tellService } from "./service_restart.ts";

/** Prints what was written, what to know about it, and what to run next; `asked` where a person answers. */
export async function reportSetup(
  context: CommandContext,
  result: SetupResult,
  { asked }: { asked: boolean },
): Promise<void> {
  const { output } = context;
  const { green, dim } = output.style;
  for (const { path, change } of result.files) {
    output.detail(`${green("✔")} ${toOneLine(path)} ${dim(change)}`);
  }
  if (result.formerWorkspace !== undefined) {
    output.note(
      `The history of ${result.formerWorkspace} stays its own: "inkling logs <agent> -w <folder>" shows it`,
    );
    if (await isRunning(context, result.formerWorkspace)) {
      output.note('Its service runs on: "inkling stop -w <folder>" ends it');
    }
  }
  // The workspace that was chosen is config.yaml's now.
  const { app } = context;
  await tellService({ app, output }, {
    hasChanged: result.files.some(({ change }) => change !== "unchanged"),
    asked,
  });
  const agent = result.sampleAgentId;
  output.detail("");
  if (agent !== undefined) {
    output.detail(`Your first agent:      inkling run ${toAgentWord(agent)}`);
  }
  output.detail("An agent of your own:  inkling new <name>");
}

async function isRunning({ app }: CommandContext, workspace: string): Promise<boolean> {
  using client = app.connect(await app.places(workspace));
  return await checkHealth(client, { clock: app.clock }) !== "absent";
}
