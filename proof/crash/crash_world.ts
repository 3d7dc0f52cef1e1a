// Runs that are killed and started again, with the check of the result: nothing lost, nothing done twice.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { deriveFlags } from "../../runtime/permissions/derive_flags.ts";
import { SqliteDatabase } from "../../runtime/storage/sqlite/sqlite_database.ts";
import { createTestWorkspace, type TestWorkspace } from "../../tests/support/test_workspace.ts";
import {
  delegationsOf,
  isResumed,
  mustSucceed,
  STARTED,
  writeCrashAgents,
} from "./crash_agents.ts";
import { type CrashPoint, toLastLine } from "./crash_points.ts";

const TESTS = fileURLToPath(new URL("../../tests", import.meta.url));

/** The death of a service: by itself at a point, or killed from outside at a time after it was ready. */
export type Death = { point: CrashPoint } | { killAfterMs: number };

/** The result of a process: it ended all runs or died before, and its output. */
interface Life {
  end: "done" | "died";
  lines: string[];
}

interface StoredExecution {
  id: number;
  agent: string;
  status: string;
  error: string | null;
  parent: number | null;
}

/** One workspace with its counting server, through many deaths and lives. */
export class CrashWorld implements AsyncDisposable {
  readonly #place: TestWorkspace;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #counts = new Map<string, number>();
  /** The frames seen so far, by id: none may change or disappear. */
  readonly #seen = new Map<number, string>();
  #highestId = 0;
  readonly #deathsAt = new Map<string, number>();
  #kills = 0;

  private constructor(place: TestWorkspace) {
    this.#place = place;
    this.#server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
      const { pathname } = new URL(request.url);
      this.#counts.set(pathname, (this.#counts.get(pathname) ?? 0) + 1);
      return new Response("counted");
    });
  }

  static async open(): Promise<CrashWorld> {
    return new CrashWorld(await createTestWorkspace());
  }

  /**
   * Starts one execution of each agent in a process that dies, then again in others that die during the recovery.
   * Then starts the service until everything has ended, and checks the result. Fails when a process does not die at
   * its point. A process with a timed death may end all runs before.
   */
  async round(...deaths: Death[]): Promise<void> {
    const url = `http://127.0.0.1:${this.#server.addr.port}/${crypto.randomUUID()}`;
    await writeCrashAgents(this.#place, url);
    for (const [n, death] of deaths.entries()) {
      const life = await this.#serve(n === 0 ? STARTED : [], death);
      this.#count(death, life);
      this.#lookAtFrames();
    }
    const { end } = await this.#serve([]);
    assert.equal(end, "done", "the next start takes everything to its end");
    this.#lookAtFrames();
    this.#checkInvariants();
  }

  /** The number of deaths at each point so far, by the point's name. */
  get deathsAt(): ReadonlyMap<string, number> {
    return this.#deathsAt;
  }

  /** The number of services that were killed before they had ended all runs. */
  get kills(): number {
    return this.#kills;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
    await this.#place[Symbol.asyncDispose]();
  }

  #count(death: Death, { end, lines }: Life): void {
    if ("killAfterMs" in death) {
      if (end === "died") this.#kills++;
      return;
    }
    const { name } = death.point;
    assert.ok(lines.includes(toLastLine(death.point)), `no service died ${name}`);
    assert.equal(end, "died");
    this.#deathsAt.set(name, (this.#deathsAt.get(name) ?? 0) + 1);
  }

  /** Runs the service to its end or its death. */
  async #serve(start: readonly string[], death?: Death): Promise<Life> {
    const crash = death !== undefined && "point" in death ? death.point : null;
    const killAfterMs = death !== undefined && "killAfterMs" in death
      ? death.killAfterMs
      : undefined;
    const { shell, root: home } = this.#place;
    const { flags } = await deriveFlags(await this.#place.settings());
    const child = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "--config",
        join(TESTS, "deno.json"),
        "--no-check",
        ...flags.map(({ flag }) => flag),
        // The process kills itself.
        "--allow-run",
        fileURLToPath(new URL("./service.ts", import.meta.url)),
        JSON.stringify({ shell, home, start, crash }),
      ],
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let printed = "";
    const reading = (async () => {
      for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
        printed += text;
        if (killAfterMs !== undefined && timer === undefined) {
          timer = setTimeout(() => {
            try {
              child.kill("SIGKILL");
            } catch {
              // It ended before the kill.
            }
          }, killAfterMs);
        }
      }
    })();
    const complaint = new Response(child.stderr).text();
    const { success, signal } = await child.status;
    clearTimeout(timer);
    await reading;
    if (!success && signal !== "SIGKILL") throw new Error(`The service failed: ${await complaint}`);
    assert.equal(await complaint, "", "no error in the log");
    const lines = printed.split("\n");
    return { end: lines.includes("done") ? "done" : "died", lines };
  }

  #database(): SqliteDatabase {
    return SqliteDatabase.open(join(this.#place.stateDir, "inkling.db"));
  }

  /** Checks that logged frames keep their ids, and that new ones have higher ids. */
  #lookAtFrames(): void {
    using db = this.#database();
    const frames = db.all<{ id: number; payload: string }>(
      "SELECT id, payload FROM frames ORDER BY id",
    );
    const found = new Map(frames.map(({ id, payload }) => [id, payload]));
    for (const [id, payload] of this.#seen) {
      assert.equal(found.get(id), payload, `frame ${id} is lost`);
    }
    for (const { id, payload } of frames) {
      if (this.#seen.has(id)) continue;
      assert.ok(id > this.#highestId, `frame id ${id} is reused`);
      this.#seen.set(id, payload);
    }
    this.#highestId = frames.at(-1)?.id ?? 0;
  }

  #checkInvariants(): void {
    using db = this.#database();
    assert.equal(Object.values(db.get<object>("PRAGMA integrity_check") ?? {})[0], "ok");
    const executions = db.all<StoredExecution>(
      "SELECT id, agent_id AS agent, status, error, parent_execution_id AS parent FROM executions",
    );
    const byId = new Map(executions.map((one) => [one.id, one]));
    for (const execution of executions) {
      const { id } = execution;
      checkEnd(execution, byId);
      const ends = db.all("SELECT 1 FROM frames WHERE execution_id = ? AND event = 'complete'", id);
      assert.equal(ends.length, 1, `execution ${id} has ${ends.length} ends`);
      const last = db.get<{ event: string }>(
        "SELECT event FROM frames WHERE execution_id = ? ORDER BY id DESC LIMIT 1",
        id,
      );
      assert.equal(last?.event, "complete");
      this.#checkConversation(db, execution);
      this.#checkChildren(db, execution);
    }
    for (const [path, count] of this.#counts) {
      assert.equal(count, 1, `the unsafe call ${path} ran ${count} times`);
    }
  }

  /** Checks that positions have no gaps, and that every call has one result after it. */
  #checkConversation(db: SqliteDatabase, { id, status }: StoredExecution): void {
    const rows = db.all<{ position: number; role: string; body: string }>(
      "SELECT position, role, body FROM messages WHERE execution_id = ? ORDER BY position",
      id,
    );
    const calls = new Map<number, string>();
    for (const { position, role, body } of rows) {
      const message = JSON.parse(body);
      if (role === "assistant") {
        for (const [index, call] of message.toolCalls.entries()) {
          calls.set(position + 1 + index, call.id);
        }
      }
      if (role === "tool") {
        assert.equal(message.toolCallId, calls.get(position), "a result without its call");
        calls.delete(position);
      }
    }
    const cutOff = status === "success" ? 0 : 3;
    assert.ok(calls.size <= cutOff, "at most the calls that were cut off have no result");
  }

  /** Checks that each call has one child, and that no child outlives a parent with its result. */
  #checkChildren(db: SqliteDatabase, { id, agent, status }: StoredExecution): void {
    const ends = db.all<{ child: number; childEnd: number; parentEnd: number }>(
      "SELECT e.id AS child, max(c.id) AS childEnd, (SELECT max(id) FROM frames " +
        "WHERE execution_id = ?1) AS parentEnd FROM executions e " +
        "JOIN frames c ON c.execution_id = e.id WHERE e.parent_execution_id = ?1 GROUP BY e.id",
      id,
    );
    if (status !== "success") {
      assert.ok(ends.length <= delegationsOf(agent), `execution ${id} began too many`);
      return;
    }
    assert.equal(ends.length, delegationsOf(agent), `execution ${id} began ${ends.length}`);
    for (const { child, childEnd, parentEnd } of ends) {
      assert.ok(childEnd < parentEnd, `execution ${child} outlived its parent`);
    }
  }
}

/** Returns the allowed ends of an execution after its service died. */
function checkEnd(
  { id, agent, status, error, parent }: StoredExecution,
  byId: ReadonlyMap<number, StoredExecution>,
): void {
  if (mustSucceed(agent)) assert.equal(status, "success", `execution ${id} of ${agent}: ${error}`);
  if (status === "success") return;
  const parentStatus = byId.get(parent ?? 0)?.status;
  if (status === "aborted") {
    assert.match(error ?? "", /the execution that delegated to it has ended/);
    assert.notEqual(parentStatus, "success", `execution ${id} was aborted under its parent`);
    return;
  }
  assert.equal(status, "orphaned", `execution ${id} of ${agent}`);
  // A resumed execution is given up only when nobody waits for it.
  if (isResumed(agent)) assert.ok(parentStatus !== undefined && parentStatus !== "success");
}
