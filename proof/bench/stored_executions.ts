// Measures requests with a long history: the list of executions, also filtered by agent, status, text, time and trigger,
// and the earlier messages with which a run begins.
import { join } from "node:path";
import { SqliteDatabase } from "../../runtime/storage/sqlite/sqlite_database.ts";
import { createExecutionStores } from "../../runtime/storage/executions/execution_stores.ts";
import { openInstance } from "../../runtime/database/instances.ts";
import type { Client } from "../../api/client/client.ts";
import { createLocalClient } from "../../app/local_client.ts";
import { createTestWorkspace } from "../../tests/support/test_workspace.ts";
import { comparePaired, type Figure, ratioAtMost } from "./paired.ts";

const FEW = 1_000;
const SEARCHED = 10_000;
const MANY = 1_000_000;
const MANY_WITH_MESSAGES = 100_000;
const REQUESTS = 200;
const SEEDS = 500;
const PAIRS = 9;
const AGENTS = 20;

/**
 * Returns the figures of GET /executions and of reading earlier messages. The list is measured with a million stored
 * executions, the messages with a hundred thousand. Both are compared with a thousand.
 */
export async function benchStoredExecutions(): Promise<Figure[]> {
  return [...await searches(), ...await lists(), await seeds()];
}

/** Measures the list of 10,000 executions filtered by text, by time and by trigger, compared with the unfiltered list. */
async function searches(): Promise<Figure[]> {
  await using history = await openHistory(SEARCHED, { texts: true });
  const ask = async (query: Parameters<Client["executions"]>[0]) => {
    for (let request = 0; request < REQUESTS; request++) await history.client.executions(query);
  };
  const [middle] = await history.client.executions({ limit: 1, offset: SEARCHED / 2 });
  const from = middle?.started_at;
  const compare = (name: string, query: Parameters<Client["executions"]>[0]) =>
    comparePaired(`GET /executions?${name} of 10,000, against the plain list`, {
      floor: () => ask({}),
      subject: () => ask(query),
      pairs: PAIRS,
      goal: ratioAtMost(2),
    });
  return [
    await compare("q, found in all", { q: "answer" }),
    await compare("q, found once", { q: "7777" }),
    await compare("q, common words found together once", { q: "number 7777" }),
    await compare("since", { since: from }),
    await compare("until", { until: from }),
    await compare("trigger", { trigger: "manual" }),
    await compare("preview", { preview: true }),
  ];
}

async function lists(): Promise<Figure[]> {
  await using few = await openHistory(FEW);
  await using many = await openHistory(MANY);
  const compare = (name: string, query: Parameters<Client["executions"]>[0]) => {
    const ask = async ({ client }: { client: Client }) => {
      for (let request = 0; request < REQUESTS; request++) await client.executions(query);
    };
    return comparePaired(name, {
      floor: () => ask(few),
      subject: () => ask(many),
      pairs: PAIRS,
      goal: ratioAtMost(1.5),
    });
  };
  return [
    await compare("GET /executions, 1,000,000 / 1,000 stored", {}),
    await compare("GET /executions?agent=..., 1,000,000 / 1,000 stored", { agent: "agent-3" }),
    await compare("GET /executions?status=error, 1,000,000 / 1,000 stored", { status: ["error"] }),
  ];
}

async function openHistory(
  count: number,
  { texts = false } = {},
): Promise<AsyncDisposable & { client: Client }> {
  const place = await createTestWorkspace();
  await Deno.mkdir(place.stateDir);
  {
    using db = SqliteDatabase.open(join(place.stateDir, "inkling.db"));
    fill(db, count, { messages: false });
    if (texts) {
      const text = "with as many words as an answer often has, ".repeat(20);
      db.run(
        "UPDATE executions SET output_data = 'An answer to number ' || id || ? || id",
        `, ${text}`,
      );
    }
  }
  const runtime = await place.open({ mode: "read-only" });
  const client = createLocalClient(runtime);
  return {
    client,
    async [Symbol.asyncDispose]() {
      client[Symbol.dispose]();
      await runtime[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

/** Measures the reading of the earlier messages with which the newest run of a session begins. */
async function seeds(): Promise<Figure> {
  using few = openSeeds(FEW);
  using many = openSeeds(MANY_WITH_MESSAGES);
  const ask = async ({ read }: { read: () => Promise<unknown> }) => {
    for (let seed = 0; seed < SEEDS; seed++) await read();
  };
  return await comparePaired("history of a run, 100,000 / 1,000 stored", {
    floor: () => ask(few),
    subject: () => ask(many),
    pairs: PAIRS,
    goal: ratioAtMost(1.5),
  });
}

function openSeeds(count: number): Disposable & { read: () => Promise<unknown> } {
  const db = SqliteDatabase.open(":memory:");
  fill(db, count, { messages: true });
  const { conversations, executions } = createExecutionStores(db, "bench");
  return {
    async read() {
      const found = await executions.readExecution(count);
      if (found === undefined) throw new TypeError("the last execution is missing");
      const seed = await conversations.readSeed(found.execution);
      if (seed?.messages.length !== 3) throw new TypeError("no messages to begin with");
    },
    [Symbol.dispose]: () => db[Symbol.dispose](),
  };
}

/**
 * Inserts `count` executions of a few agents. Nine of ten are successful. The last execution belongs to a session with
 * earlier ones.
 */
function fill(db: SqliteDatabase, count: number, { messages }: { messages: boolean }): void {
  db.perform(openInstance({ id: "bench", pid: 1, startedAt: 0 }));
  const now = Date.now();
  db.transaction("process", () => {
    db.run(
      "INSERT INTO executions (agent_id, display_name, status, trigger, depth, instance_id, " +
        "request, model, started_at, finished_at, duration_ms, total_tokens, cost_usd, output_data) " +
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) " +
        `SELECT 'agent-' || (i % ${AGENTS}), 'Agent', ` +
        "CASE WHEN i % 10 = 0 THEN 'error' ELSE 'success' END, 'manual', 0, 'bench', " +
        "'{\"args\":[]}', 'demo/echo', ? + i - ?, ? + i - ?, 1000, 100, 0.01, 'Done.' FROM n",
      ...[count, now, count, now, count],
    );
    if (!messages) return;
    for (const [position, role] of ["system", "user", "assistant"].entries()) {
      const body = role === "assistant"
        ? { role, content: "Done.", toolCalls: [], stop: "end" }
        : { role, content: "Do it." };
      db.run(
        "INSERT INTO messages (execution_id, position, role, body) SELECT id, ?, ?, ? FROM executions",
        ...[position, role, JSON.stringify(body)],
      );
    }
  });
}
