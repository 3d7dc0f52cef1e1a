// `inkling checkpoint`: prints the sizes of the stored conversations, or removes old ones.
import { type CommandOptions, performs } from "../../command_line/command.ts";
import type { checkpoint } from "../../declarations/execution_commands.ts";
import type { CheckpointsBody } from "../../../api/schemas/checkpoint_schemas.ts";
import type { Client } from "../../../api/client/client.ts";
import { openReader } from "../../service/connection.ts";
import { type CommandContext, misuse } from "../../context/context.ts";
import { formatBytes, formatCount, formatPlural } from "../../output/figures.ts";
import type { Output } from "../../output/output.ts";
import { toOneLine } from "../../output/sanitize.ts";
import { orUnknownAgent } from "../../context/unknown_agent.ts";
import type { LocalService } from "../../context/app.ts";
import { serviceOrTurn } from "../../service/daemon.ts";

type CheckpointOptions = CommandOptions<typeof checkpoint>;

/** Prints the sizes of the stored conversations, or removes old ones with --purge. */
export const perform = performs<typeof checkpoint>(async (context, options) => {
  if (options.force && !options.purge) {
    throw misuse("--force requires --purge");
  }
  if (options.purge) await purge(context, options);
  else await showStats(context, options);
});

async function showStats(context: CommandContext, options: CheckpointOptions): Promise<void> {
  const { output } = context;
  await using reader = await openReader(context.app, context.workspace);
  const { client } = reader;
  const stats = await client.checkpoints();
  const agents = await agentsOf(context, { client, stats, agentId: options.agent });
  if (options.json) return output.json({ ...stats, agents });
  if (!output.quiet) {
    output.fields([
      // A key for some agents does not see the machine.
      stats.path !== "" && ["Database", stats.path],
      ["Size", formatBytes(stats.size_bytes)],
    ]);
  }
  if (agents.length === 0) return output.line("No conversations are stored");
  if (!output.quiet) output.line();
  showAgents(output, agents);
}

/** Returns the sizes for one agent, or for all agents. Throws CommandFailure for an unknown agent. */
async function agentsOf(
  { app }: CommandContext,
  options: { client: Client; stats: CheckpointsBody; agentId: string | undefined },
): Promise<CheckpointsBody["agents"]> {
  const { client, stats, agentId } = options;
  if (agentId === undefined) return stats.agents;
  const own = stats.agents.filter((agent) => agent.agent_id === agentId);
  // A deleted agent may still have conversations. Without conversations, an agent with this id must exist now.
  if (own.length === 0) await orUnknownAgent(client.agent(agentId), { app, client, agentId });
  return own;
}

function showAgents(output: Output, agents: CheckpointsBody["agents"]): void {
  output.table(agents, [
    { header: "Agent", cell: ({ agent_id: id }) => id, shrinks: true, paint: output.style.bold },
    { header: "Conversations", cell: ({ threads }) => formatCount(threads), align: "right" },
    { header: "Messages", cell: ({ messages }) => formatCount(messages), align: "right" },
    { header: "Size", cell: ({ bytes }) => formatBytes(bytes), align: "right" },
  ]);
}

async function purge(context: CommandContext, options: CheckpointOptions): Promise<void> {
  const { app, output } = context;
  const { agent: agentId, force = false } = options;
  await using upkeep = await openUpkeep(context);
  const { client } = upkeep;
  const before = await client.checkpoints();
  const body = { force, ...(agentId !== undefined && { agent: agentId }) };
  const purged = await orUnknownAgent(client.purgeCheckpoints(body), { app, client, agentId });
  if (options.json) return output.json(purged);
  const whose = agentId === undefined ? "" : ` of ${toOneLine(agentId)}`;
  output.line(`Removed ${formatPlural(purged.purged, "conversation")}${whose}`);
  const { size_bytes: size } = await client.checkpoints();
  output.detail(
    `The database now has ${formatBytes(size)} (before: ${formatBytes(before.size_bytes)})`,
  );
}

/**
 * Connects to the running service, or opens its API in this process without triggers. Until the result is disposed, no
 * service can start. Throws CommandFailure if a service does not answer.
 */
async function openUpkeep(context: CommandContext): Promise<LocalService> {
  const { app, workspace } = context;
  const places = await app.places(workspace);
  await using opened = new AsyncDisposableStack();
  const found = await serviceOrTurn(app, places);
  if ("turn" in found) opened.use(found.turn);
  const client = "client" in found
    ? opened.use(found.client)
    : opened.use(await app.openUpkeep(context)).client;
  const kept = opened.move();
  return { client, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
