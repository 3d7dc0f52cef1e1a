// Writes the agents of the soak with their files and resources. The models are roles of model_roles.ts.
import { join } from "node:path";
import type { TestWorkspace } from "../../../tests/support/test_workspace.ts";
import { programEntry } from "../../../tests/runtime/tools/mcp/mcp_world.ts";

/** The maximum number of model calls that the service may have open. */
export const MODEL_CALLS = 8;

/** The agents with schedules that never change, with their intervals in milliseconds. */
export const BEATS: Readonly<Record<string, number>> = {
  tick_1: 1_000,
  tick_2: 2_000,
  tick_cron: 60_000,
  tick_ask: 3_000,
};

/** The agents with triggers that never ask a person a question. */
export const NEVER_ASKING: readonly string[] = ["tick_1", "tick_2", "tick_cron", "watch_inbox"];

/** The agents that the `run` action starts, with their relative frequencies. */
export const BY_HAND: Readonly<Record<string, number>> = {
  worker: 6,
  worker_kept: 4,
  skilled: 2,
  guarded: 2,
  guarded_kept: 2,
  asker: 2,
  asker_timed: 2,
  asker_held: 1,
  connected: 2,
  lead: 2,
  lead_kept: 2,
  circling: 0.5,
  limited: 1,
};

/** The agents that people chat with. */
export const CHATTERS: readonly string[] = ["chatter", "chat_worker", "chat_asker"];

/** The watched folder of each watching agent, which must get every file of the folder exactly once. */
export const WATCHED: Readonly<Record<string, string>> = {
  watch_inbox: "inbox",
  watch_desk: "desk",
};

/** Returns the text of the soak's config.yaml. */
export function soakConfig(workspace: string): string {
  return [
    `workspace: ${workspace}`,
    "defaults:",
    `  max_concurrent_runs: ${MODEL_CALLS}`,
    "  checkpoint_retention_days: 30",
    "  log_retention_days: 1",
    "",
  ].join("\n");
}

const TIMEOUT_S = 15;
const KEPT = ["on_restart: resume"];
const AGENTS: Readonly<Record<string, { role: string; lines: readonly string[] }>> = {
  worker: { role: "worker", lines: ["tools: [stamp]"] },
  worker_kept: { role: "worker", lines: ["tools: [stamp]", ...KEPT] },
  skilled: { role: "skilled", lines: ["skills: [ledger]", ...KEPT] },
  guarded: {
    role: "guarded",
    lines: ["tools: [stamp]", "confirm: [http_request, stamp]", "on_pending: parallel"],
  },
  guarded_kept: {
    role: "guarded",
    lines: [
      "tools: [stamp]",
      "confirm: [http_request, stamp]",
      "on_pending: parallel",
      "confirm_timeout: 3s",
      ...KEPT,
    ],
  },
  asker: { role: "asker", lines: ["tools: [doubt]", "on_pending: parallel", "history: off"] },
  asker_timed: {
    role: "asker",
    lines: ["tools: [doubt]", "on_pending: parallel", "confirm_timeout: 2s", ...KEPT],
  },
  asker_held: { role: "asker", lines: ["tools: [doubt]"] },
  connected: { role: "connected", lines: ["mcp: [fixture]"] },
  lead: { role: "lead", lines: ["agents: [middle, junior]", "on_pending: parallel"] },
  lead_kept: { role: "lead", lines: ["agents: [middle, junior]", "on_pending: parallel", ...KEPT] },
  middle: { role: "middle", lines: ["agents: [junior]", ...KEPT] },
  junior: { role: "junior", lines: ["agents: [leaf]", ...KEPT] },
  leaf: { role: "leaf", lines: ["tools: [stamp]", ...KEPT] },
  circling: { role: "circling", lines: [] },
  limited: { role: "worker", lines: ["tools: [stamp]"] },
  chatter: { role: "talker", lines: ["history: medium"] },
  chat_worker: { role: "worker", lines: ["tools: [stamp]", "history: high"] },
  chat_asker: { role: "asker", lines: ["tools: [doubt]"] },
  tick_1: { role: "tick", lines: ["trigger: { type: schedule, every: 1s }"] },
  tick_2: { role: "tick", lines: ["trigger: { type: schedule, every: 2s }", ...KEPT] },
  tick_cron: { role: "tick", lines: ['trigger: { type: schedule, cron: "* * * * *" }'] },
  tick_ask: {
    role: "asker",
    lines: [
      "tools: [doubt]",
      "trigger: { type: schedule, every: 3s }",
      "confirm_timeout: 2s",
    ],
  },
  // The soak writes more files than the default limit of an agent's runs allows.
  watch_inbox: {
    role: "watcher",
    lines: [
      "trigger: { type: watch, paths: [inbox], debounce: 100ms, catch_up: once, max_runs: 100000 }",
    ],
  },
  watch_desk: {
    role: "asker",
    lines: [
      "tools: [doubt]",
      "trigger: { type: watch, paths: [desk], debounce: 100ms, catch_up: once, max_runs: 100000 }",
      "confirm_timeout: 2s",
    ],
  },
};

/** The agents whose runs are resumed after the service was killed. */
export const RESUMED: readonly string[] = Object.keys(AGENTS)
  .filter((id) => AGENTS[id]?.lines.includes("on_restart: resume"));

/** Returns the text of an agent file. `timeout` is the time limit of a run in seconds. */
export function agentText(
  { role, lines, modelUrl, timeout = TIMEOUT_S }: {
    role: string;
    lines: readonly string[];
    modelUrl: string;
    timeout?: number;
  },
): string {
  const settings = lines.some((line) => line.startsWith("settings:"))
    ? []
    : [`settings: { timeout: ${timeout} }`];
  return [
    "---",
    `model: { provider: local, name: ${role}, base_url: "${modelUrl}" }`,
    ...settings,
    ...lines,
    "---",
    `You are ${role}. Do what is asked of you. {workspace} is yours.`,
    "",
  ].join("\n");
}

/** Writes the agents, their custom tools, the skill and the MCP server. `only` names the agents of a sample. */
export async function writeSoakAgents(
  place: TestWorkspace,
  { modelUrl, timeout = TIMEOUT_S, only }: {
    modelUrl: string;
    timeout?: number;
    only?: readonly string[] | undefined;
  },
): Promise<void> {
  for (const folder of ["out", "stage", ...Object.values(WATCHED)]) {
    await Deno.mkdir(join(place.workspace, folder), { recursive: true });
  }
  await Deno.writeTextFile(
    join(place.workspace, "notes.md"),
    Array.from({ length: 40 }, (_, line) => `Note ${line}: nothing new.`).join("\n"),
  );
  await writeTools(join(place.agentsDir, "_config"));
  for (const [id, { role, lines }] of Object.entries(AGENTS)) {
    if (only?.includes(id) === false) continue;
    const more = id === "limited"
      ? [`settings: { timeout: ${timeout}, max_tool_calls: 2, max_cost_usd: 0.001 }`]
      : [];
    await place.writeAgent(id, agentText({ role, lines: [...lines, ...more], modelUrl, timeout }));
  }
}

async function writeTools(config: string): Promise<void> {
  const write = async (path: string, text: string) => {
    await Deno.mkdir(join(config, path, ".."), { recursive: true });
    await Deno.writeTextFile(join(config, path), text);
  };
  await write(
    "tools/stamp.ts",
    `export default {
  description: "Puts a token into the ledger",
  parameters: { type: "object", properties: { token: { type: "string" } }, required: ["token"] },
  async run({ token }, context) {
    const path = await context.resolvePath("ledger/tokens.txt");
    await Deno.writeTextFile(path, token + "\\n", { append: true });
    return "stamped";
  },
};
`,
  );
  await write(
    "tools/doubt.ts",
    `export default {
  description: "Asks whether to go on",
  parameters: { type: "object", properties: {} },
  effect: "read",
  async run(_args, context) {
    return await context.confirm("Really?") ? "Yes" : "No";
  },
};
`,
  );
  await write(
    "skills/ledger/SKILL.md",
    "---\nname: ledger\ndescription: Keeps the ledger\nargument-hint: when\n---\n\nWrite it down for $ARGUMENTS.\n",
  );
  await write(
    "skills/ledger/append.sh",
    `printf '%s\\n' "$1" >> "$WORKSPACE/ledger/tokens.txt"\necho written\n`,
  );
  await write("skills/ledger/walled.ts", "console.log(Deno.args.join(' '));\n");
  await write("mcp-servers.json", JSON.stringify({ fixture: programEntry() }));
}
