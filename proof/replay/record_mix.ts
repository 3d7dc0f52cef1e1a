// Records runs of the random agents of mix.ts. Many service processes run one after another, and most of them are killed.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SqliteDatabase } from "../../runtime/storage/sqlite/sqlite_database.ts";
import type { TestWorkspace } from "../../tests/support/test_workspace.ts";
import { type Draw, type Mix, writeAgent } from "./mix.ts";
import { ACCEPTED, type RecorderOrder } from "./recorder.ts";

/** Every fourth process is stopped gracefully, the others are killed. */
const STOPPED_EACH = 4;
/** The maximum time in milliseconds from the last accepted run to the kill. */
const MAX_LEFT_MS = 60;

/** The numbers of kills and of recorded events. */
export interface Recorded {
  /** The number of service processes that were killed. */
  kills: number;
  /** The number of executions that a kill interrupted; `resumed` counts the executions that a later process resumed. */
  interrupted: number;
  resumed: number;
  /** The number of recorded events of each kind. */
  kinds: Record<string, number>;
}

/** Records `runs` runs, each of another agent. Starts `lives` service processes one after another. */
export async function recordMix(
  mix: Mix,
  { runs, lives, draw, customShare = 0.1 }: {
    runs: number;
    lives: number;
    draw: Draw;
    customShare?: number;
  },
): Promise<Recorded> {
  const { place } = mix;
  const interrupted = new Set<number>();
  const agents: string[] = [];
  let kills = 0;
  for (let life = 1; life <= lives; life++) {
    while (agents.length < Math.floor(runs * life / lives)) {
      const agent = `agent_${agents.length}`;
      await writeAgent(mix, agent, { draw, customShare });
      agents.push(agent);
    }
    const isLast = life === lives;
    const isKilled = !isLast && life % STOPPED_EACH !== 0;
    const rest = life === 1 ? agents : agentsWithoutRun(place, agents);
    const order = {
      shell: place.shell,
      home: place.root,
      agents: rest,
      seed: 1 + Math.floor(draw() * 2 ** 31),
      isLast,
    };
    const killAfter = isKilled ? 1 + Math.floor(draw() * rest.length) : undefined;
    const wasKilled = await live(order, { killAfter, leftMs: draw() * MAX_LEFT_MS });
    if (!wasKilled) continue;
    kills++;
    for (const id of openExecutions(place)) interrupted.add(id);
  }
  using db = openDatabase(place);
  const ended = db.all<{ id: number; status: string }>("SELECT id, status FROM executions");
  return {
    kills,
    interrupted: interrupted.size,
    resumed: ended.filter(({ id, status }) => interrupted.has(id) && status !== "orphaned").length,
    kinds: countKinds(db),
  };
}

/** Runs one service process. Returns true if the process was killed before it ended by itself. */
async function live(
  order: RecorderOrder,
  { killAfter, leftMs }: { killAfter: number | undefined; leftMs: number },
): Promise<boolean> {
  const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-check",
      "--no-prompt",
      ...["--allow-read", "--allow-write", "--allow-net", "--allow-env", "--allow-run"],
      "--allow-sys",
      "--config",
      here("../../tests/deno.json"),
      here("./recorder.ts"),
      JSON.stringify(order),
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const complaint = new Response(child.stderr).text();
  let accepted = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    accepted += text.split(ACCEPTED).length - 1;
    if (killAfter === undefined || accepted < killAfter || timer !== undefined) continue;
    timer = setTimeout(() => {
      try {
        child.kill("SIGKILL");
      } catch {
        // The process ended before the kill.
      }
    }, leftMs);
  }
  const { success, signal } = await child.status;
  clearTimeout(timer);
  if (success) return false;
  if (signal === "SIGKILL" && timer !== undefined) return true;
  throw new Error(`The service failed: ${await complaint}`);
}

function openDatabase({ stateDir }: TestWorkspace): SqliteDatabase {
  return SqliteDatabase.open(join(stateDir, "inkling.db"));
}

/** Returns the agents that have no execution yet. */
function agentsWithoutRun(place: TestWorkspace, agents: readonly string[]): string[] {
  using db = openDatabase(place);
  const known = new Set(
    db.all<{ agent: string }>("SELECT DISTINCT agent_id AS agent FROM executions")
      .map(({ agent }) => agent),
  );
  return agents.filter((agent) => !known.has(agent));
}

/** Returns the ids of the executions that a killed service has left running or waiting. */
function openExecutions(place: TestWorkspace): number[] {
  using db = openDatabase(place);
  return db.all<{ id: number }>(
    "SELECT id FROM executions WHERE status IN ('running', 'waiting')",
  ).map(({ id }) => id);
}

const KINDS: Record<string, string> = {
  "calls of tools": "SELECT count(*) AS n FROM tool_calls",
  "failed calls": "SELECT count(*) AS n FROM messages WHERE role = 'tool' AND body ->> 'isError'",
  "failed runs": "SELECT count(*) AS n FROM executions WHERE status = 'error'",
  "retries": 'SELECT count(*) AS n FROM frames WHERE payload LIKE \'%"kind":"notice"%\' AND ' +
    "payload LIKE '%attempt %'",
  "answered pauses": "SELECT count(*) AS n FROM requests WHERE response IS NOT NULL",
  "delegated runs": "SELECT count(*) AS n FROM executions WHERE trigger = 'agent'",
  "skills": "SELECT count(*) AS n FROM tool_calls WHERE name = 'skill_use'",
  "MCP calls": "SELECT count(*) AS n FROM tool_calls WHERE name IN ('echo', 'fail')",
  "custom tools": "SELECT count(*) AS n FROM tool_calls WHERE name IN ('add', 'note')",
};

function countKinds(db: SqliteDatabase): Record<string, number> {
  return Object.fromEntries(
    Object.entries(KINDS).map(([kind, sql]) => [kind, db.get<{ n: number }>(sql)?.n ?? 0]),
  );
}
