// Kills services during runs, restarts them, and checks that nothing is lost and no unsafe call is repeated.
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

/**
 * The death of a service: at a point inside the process, or by a kill from outside, some milliseconds after it was ready.
 */
export type Death = { point: CrashPoint } | { killAfterMs: number };

/**
 * The result of one service process: "done" if all runs ended before the process did, otherwise "died", and the printed
 * lines.
 */
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

/** A workspace with a server that counts unsafe calls, used by many service processes one after another. */
export class CrashWorld implements AsyncDisposable {
  readonly #place: TestWorkspace;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #counts = new Map<string, number>();
  /** The payloads of all frames seen so far, by id. No frame may change or disappear. */
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
   * Starts one execution of each agent in a process that dies, and one more process for each further death. Then starts the
   * service until all executions have ended, and checks the result. Throws if a process does not die at its point. A
   * process with a timed death may end all runs before.
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

  /** The number of deaths so far at each point, by the point's name. */
  get deathsAt(): ReadonlyMap<string, number> {
    return this.#deathsAt;
  }

  /** The number of services that a timed kill ended before all runs had ended. */
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

  /** Runs a service process until all executions have ended or the process dies. */
  async #serve(start: readonly string[], death?: Death): Promise<Life> {
    const points = death !== undefined && "point" in death ? [death.point] : [];
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
        // At a crash point the process kills itself, which needs this permission.
        "--allow-run",
        fileURLToPath(new URL("./service.ts", import.meta.url)),
        JSON.stringify({ shell, home, start, points }),
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
              // The process ended before the kill.
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

  /** Checks that frames keep their ids and payloads, and that new frames have higher ids than all earlier frames. */
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

  /** Checks that every tool result is at the position of its call, and that only calls that were cut off have no result. */
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

  /** Checks that a successful execution has one child for each delegation, and that every child ended before its parent. */
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

/** Checks that an execution has a status that is allowed after its service died. */
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
  // A resumed execution may be orphaned only if its parent did not succeed.
  if (isResumed(agent)) assert.ok(parentStatus !== undefined && parentStatus !== "success");
}
