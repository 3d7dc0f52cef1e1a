// `inkling whoami`: prints the name, the role and the rights with which this command line reaches the service.
import { performs } from "../../command_line/command.ts";
import type { whoami } from "../../declarations/people_commands.ts";
import { openService } from "../../service/daemon.ts";

/** Prints the sender of this program's requests. */
export const perform = performs<typeof whoami>(async (context, options) => {
  const { output } = context;
  using client = await openService(context);
  const { name, role, agents, rights } = await client.whoami();
  if (options.json) return output.json({ name, role, agents, rights });
  output.fields([
    ["Name", name ?? "none: the key of the whole service"],
    ["Role", role],
    ...(agents === null ? [] : [["Agents", agents.join(", ")] as const]),
    ["Rights", rights.join(", ")],
  ]);
});
