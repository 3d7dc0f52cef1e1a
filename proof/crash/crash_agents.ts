// Writes the agents whose service is killed: single agents with twelve unsafe calls, and families of agents that delegate,
// ask people and call unsafe tools.
import type { TestWorkspace } from "../../tests/support/test_workspace.ts";

export const STEPS = 12;

const SINGLES = ["free", "free_resumed", "guarded", "guarded_resumed"] as const;

/**
 * The families: one letter each for lead, middle and child. After a restart, the runs of an agent with `r` are resumed and
 * those of an agent with `o` are orphaned.
 */
const FAMILIES = ["rrr", "rro", "orr", "ooo"] as const;

/** The agents to start, in order. */
export const STARTED: readonly string[] = [...SINGLES, ...FAMILIES.map((one) => `lead_${one}`)];

/** Returns true if the agent's runs are resumed after a restart. */
export function isResumed(agent: string): boolean {
  const { role, policy } = familyOf(agent);
  if (policy === "") return agent.endsWith("resumed");
  return policy[["lead", "middle", "child"].indexOf(role)] === "r";
}

/**
 * Returns true if a run of the agent must succeed after any death of the service, because the agent and all its ancestors
 * are resumed.
 */
export function mustSucceed(agent: string): boolean {
  const { role, policy } = familyOf(agent);
  if (policy === "") return isResumed(agent);
  return policy.slice(0, ["lead", "middle", "child"].indexOf(role) + 1).match(/^r+$/) !== null;
}

/** Returns the number of executions to which a successful run of the agent delegates directly. */
export function delegationsOf(agent: string): number {
  return { lead: 3, middle: 1 }[familyOf(agent).role] ?? 0;
}

function familyOf(agent: string): { role: string; policy: string } {
  const [role = "", policy = ""] = agent.split("_");
  return role === "lead" || role === "middle" || role === "child"
    ? { role, policy }
    : { role: "", policy: "" };
}

/** Writes all agents. Their unsafe calls are requests to the server at `url`, each with a path that no other call uses. */
export async function writeCrashAgents(place: TestWorkspace, url: string): Promise<void> {
  for (const agent of SINGLES) await writeSingle(place, { agent, url: `${url}/${agent}` });
  for (const policy of FAMILIES) await writeFamily(place, { policy, url: `${url}/${policy}` });
}

async function writeSingle(
  place: TestWorkspace,
  { agent, url }: { agent: string; url: string },
): Promise<void> {
  const steps = Array.from({ length: STEPS }, (_, step) => ({
    say: `Step ${step}.`,
    call: [post(`${url}/${step}`)],
  }));
  await place.writeScript(
    agent,
    [...steps, { say: "All done." }],
    [
      "settings: { loop_detection: false }",
      ...linesOf(agent),
      ...(agent.startsWith("guarded") ? ["confirm: [http_request]"] : []),
    ].join("\n"),
  );
}

/**
 * Writes a family: lead delegates to middle, which delegates to child, and lead delegates to child twice. `$0` is the
 * argument of a delegation, which identifies the run in its family.
 */
async function writeFamily(
  place: TestWorkspace,
  { policy, url }: { policy: string; url: string },
): Promise<void> {
  const [lead, middle, child] = [`lead_${policy}`, `middle_${policy}`, `child_${policy}`];
  await place.writeScript(lead, [
    { call: [run(middle, "m"), post(`${url}/lead`), run(child, "c")] },
    { call: [run(child, "d")] },
    { say: "All done." },
  ], [...linesOf(lead), `agents: [${middle}, ${child}]`].join("\n"));
  await place.writeScript(middle, [
    { call: [ask(), run(child, "$0c")] },
    { say: "Middle is done." },
  ], [...linesOf(middle), `agents: [${child}]`].join("\n"));
  await place.writeScript(child, [
    { call: [post(`${url}/$0/free`), ask()] },
    { call: [post(`${url}/$0/again`)] },
    { say: "Child is done." },
  ], linesOf(child).join("\n"));
}

function linesOf(agent: string): string[] {
  return ["history: off", ...(isResumed(agent) ? ["on_restart: resume"] : [])];
}

const post = (url: string) => ({ name: "http_request", arguments: { url, method: "POST" } });
const ask = () => ({ name: "ask_user", arguments: { question: "Go on?", kind: "confirm" } });
const run = (agent: string, place: string) => (
  { name: "run_agent", arguments: { agent_id: agent, arguments: place } }
);
