// A fault of the machine or of the world around the service, and what must come of it.
import assert from "node:assert/strict";
import { join } from "node:path";
import { sourceCommand } from "../../cli/self_command.ts";
import { ApiError, type Client } from "../../api/client/client.ts";
import type { ExecutionDetail } from "../../api/schemas/execution_schemas.ts";
import { createRealHome, type RealHome, untilFound } from "../../tests/e2e/real_process.ts";
import { findViolations } from "../soak/invariants/invariants.ts";

/** One fault. Its check throws what does not hold. */
export interface Fault {
  /** A sentence: what happens, and what must come of it. */
  name: string;
  /** Why it cannot be had on this machine; undefined where it can. */
  unavailable?: () => string | undefined;
  check: () => Promise<void>;
}

/** A service in a process of its own, with a client of it. */
export interface FaultyWorld extends AsyncDisposable {
  home: RealHome;
  client: Client;
  /** The process of the service. */
  pid: number;
  /** Runs an agent and waits for the end of it. */
  run(agent: string): Promise<ExecutionDetail>;
  /** Waits for the end of an execution. */
  end(id: number): Promise<ExecutionDetail>;
  /** The service's log so far. */
  log(): Promise<string>;
  /** Stops the service; nothing in its database may be wrong then. */
  stop(): Promise<void>;
}

/** Starts a service; `wrap` is a program that starts the command line behind it. */
export async function openWorld(
  options: {
    wrap?: readonly string[];
    /** Called with the new home before the service starts. */
    prepare: (home: RealHome) => Promise<void>;
  },
): Promise<FaultyWorld> {
  const command = [...options.wrap ?? [], ...sourceCommand()];
  const home = await createRealHome({ command });
  try {
    await options.prepare(home);
    const service = await home.spawn(["start", "--keep-alive", "--quiet"]);
    await Promise.all([service.stdout.cancel(), service.stderr.cancel()]);
    const client = home.client();
    await untilFound("the service", async () => await client.health().catch(() => undefined));
    const end = (id: number) =>
      untilFound("the end", async () => {
        const execution = await client.execution(id);
        return ["running", "waiting"].includes(execution.status) ? undefined : execution;
      });
    return {
      home,
      client,
      pid: (await client.info()).pid,
      end,
      run: async (agent) => await end((await client.run(agent)).execution_id),
      log: () => Deno.readTextFile(join(home.stateDir, "inkling.log")),
      async stop() {
        await client.shutdown();
        await service.status;
        const violations = findViolations(join(home.stateDir, "inkling.db"), {
          since: 0,
          service: "dead",
          beats: {},
          unasking: [],
        });
        assert.deepEqual(violations, []);
      },
      async [Symbol.asyncDispose]() {
        client[Symbol.dispose]();
        try {
          service.kill("SIGKILL");
        } catch {
          // It has ended.
        }
        await service.status;
        await home[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await home[Symbol.asyncDispose]();
    throw error;
  }
}

/** What the service says when it refuses something. */
export async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(() => undefined, (error) => error);
  assert.ok(error instanceof ApiError, `refused by the service: ${error}`);
  return error.message;
}

/** Nothing of the program's inside may reach a person. */
export function assertNoTrace(text: string): void {
  assert.doesNotMatch(text, /^\s+at .*\.ts:\d+/m);
}
