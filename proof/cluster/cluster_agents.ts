// Writes the agents of the cluster: the agents of the soak, and agents for tests with several nodes.
import type { TestWorkspace } from "../../tests/support/test_workspace.ts";
import { agentText, writeSoakAgents } from "../soak/load/soak_agents.ts";

/** The agents that callers start, with their relative frequencies. */
export const BY_HAND: Readonly<Record<string, number>> = {
  worker: 4,
  worker_kept: 8,
  skilled: 1,
  guarded_kept: 3,
  asker: 2,
  asker_timed: 3,
  lead: 1,
  lead_kept: 4,
  limited: 1,
  gpu_worker: 3,
  steady: 3,
};

/** The agent with a label that only one node has. */
export const LABELLED = "gpu_worker";
/** The agent with many unsafe calls one after another. */
export const STEADY = "steady";
/** The agent that starts after each end of the labelled agent. */
export const FOLLOWING = { agent: "after_gpu", followed: LABELLED };

/** The time limit of a run in seconds. Time without a node does not count. */
const TIMEOUT_S = 90;

const MORE: Readonly<Record<string, { role: string; lines: readonly string[] }>> = {
  [LABELLED]: {
    role: "worker",
    lines: ["tools: [stamp]", "nodes: [gpu]", "on_restart: resume"],
  },
  [STEADY]: {
    role: "steady",
    lines: ["tools: [stamp]", "on_pending: parallel", "on_restart: resume"],
  },
  [FOLLOWING.agent]: {
    role: "tick",
    lines: [`after: { agent: ${FOLLOWING.followed}, on: any }`, "on_restart: resume"],
  },
};

/** Writes the agents and the files, skills and servers that they use. `only` names the agents of a sample. */
export async function writeClusterAgents(
  place: TestWorkspace,
  { modelUrl, only }: { modelUrl: string; only?: readonly string[] | undefined },
): Promise<void> {
  await writeSoakAgents(place, { modelUrl, timeout: TIMEOUT_S, only });
  for (const [id, { role, lines }] of Object.entries(MORE)) {
    if (only?.includes(id) === false) continue;
    await place.writeAgent(id, agentText({ role, lines, modelUrl, timeout: TIMEOUT_S }));
  }
}
