// `inkling whoami`: prints the name, the role and the rights with which this command line reaches the service.
import { performs } from "../../command_line/command.ts";
import type { whoami } from "../../declarations/people_commands.ts";
import { openService } from "../../service/daemon.ts";

const NAMELESS = {
  key: "none: this is the key of the whole service",
  socket: "none: write your name in config.yaml as service.owner",
};

/** Prints the sender of this program's requests. */
export const perform = performs<typeof whoami>(async (context, options) => {
  const { output } = context;
  using client = await openService(context);
  const { name, role, agents, rights } = await client.whoami();
  if (options.json) return output.json({ name, role, agents, rights });
  output.fields([
    ["Name", name ?? NAMELESS[context.app.remote === undefined ? "socket" : "key"]],
    ["Role", role],
    agents !== null && ["Agents", agents.join(", ")],
    ["Rights", rights.join(", ")],
  ]);
});
