// Runs that are killed and started again, and what must hold of what they leave: nothing lost, nothing done twice.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PERMISSION_FLAGS } from "../../cli/self_command.ts";
import { Database } from "../../runtime/storage/database.ts";
import { createTestWorkspace, type TestWorkspace } from "../support/test_workspace.ts";
import type { CrashPoint } from "./crash_points.ts";

export const STEPS = 12;
const TESTS = fileURLToPath(new URL("..", import.meta.url));

/** Agents of twelve steps, each step an unsafe call that a server counts. */
const AGENTS = ["free", "free_resumed", "guarded", "guarded_resumed"] as const;

/** One workspace with its counting server; dies and lives many times. */
export class CrashWorld implements AsyncDisposable {
  readonly #place: TestWorkspace;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #counts = new Map<string, number>();
  /** Frames seen so far, by id: none may change or go. */
  readonly #seen = new Map<number, string>();
  #highestId = 0;

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
   * Starts one execution of each agent in a process that dies at the point, or after `killAfterMs`; then starts the
   * service again until everything has ended, and checks what is left.
   */
  async round(death: { point?: CrashPoint; killAfterMs?: number }): Promise<void> {
    const round = crypto.randomUUID();
    for (const agent of AGENTS) await this.#writeAgent(agent, round);
    await this.#serve({ start: [...AGENTS], crash: death.point ?? null, ...death });
    this.#lookAtFrames();
    const end = await this.#serve({ start: [], crash: null });
    assert.equal(end, "done", "the next start takes everything to its end");
    this.#lookAtFrames();
    this.#checkInvariants();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
    await this.#place[Symbol.asyncDispose]();
  }

  async #writeAgent(agent: string, round: string): Promise<void> {
    const url = (step: number) =>
      `http://127.0.0.1:${this.#server.addr.port}/${round}/${agent}/${step}`;
    const steps = Array.from({ length: STEPS }, (_, step) => ({
      say: `Step ${step}.`,
      call: [{ name: "http_request", arguments: { url: url(step), method: "POST" } }],
    }));
    await this.#place.writeScript(
      agent,
      [...steps, { say: "All done." }],
      [
        "settings: { loop_detection: false }",
        "history: off",
        ...(agent.startsWith("guarded") ? ["confirm: [http_request]"] : []),
        ...(agent.endsWith("resumed") ? ["on_restart: resume"] : []),
      ].join("\n"),
    );
  }

  /** Runs the service to its end or its death. */
  async #serve(
    order: { start: string[]; crash: CrashPoint | null; killAfterMs?: number },
  ): Promise<"done" | "died"> {
    const { start, crash, killAfterMs } = order;
    const { shell, root: home } = this.#place;
    const child = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "--config",
        join(TESTS, "deno.json"),
        "--no-check",
        ...PERMISSION_FLAGS,
        join(TESTS, "crash/service.ts"),
        JSON.stringify({ shell, home, start, crash }),
      ],
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const lines: string[] = [];
    const reading = (async () => {
      for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
        lines.push(text);
        if (killAfterMs !== undefined && timer === undefined) {
          timer = setTimeout(() => {
            try {
              child.kill("SIGKILL");
            } catch {
              // It ended first.
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
    return success && lines.join("").includes("done") ? "done" : "died";
  }

  #database(): Database {
    return Database.open(join(this.#place.stateDir, "inkling.db"));
  }

  /** What was logged stays, under its id; new frames have higher ids. */
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
    const executions = db.all<
      { id: number; agent_id: string; status: string; total: number | null }
    >(
      "SELECT id, agent_id, status, tool_calls AS total FROM executions",
    );
    for (const { id, agent_id, status } of executions) {
      assert.ok(status === "success" || status === "orphaned", `execution ${id} is ${status}`);
      if (agent_id.endsWith("resumed")) {
        assert.equal(status, "success", `execution ${id} was not resumed`);
      }
      const ends = db.all("SELECT 1 FROM frames WHERE execution_id = ? AND event = 'complete'", id);
      assert.equal(ends.length, 1, `execution ${id} has ${ends.length} ends`);
      const last = db.get<{ event: string }>(
        "SELECT event FROM frames WHERE execution_id = ? ORDER BY id DESC LIMIT 1",
        id,
      );
      assert.equal(last?.event, "complete");
      this.#checkConversation(db, id);
    }
    for (const [path, count] of this.#counts) {
      assert.equal(count, 1, `the unsafe call ${path} ran ${count} times`);
    }
  }

  /** Places without holes, every result behind its call, none twice. */
  #checkConversation(db: Database, id: number): void {
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
    assert.ok(calls.size <= 1, "at most the call that was cut off has no result");
  }
}
