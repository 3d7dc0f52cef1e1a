// The type of a fault of the machine or the service's surroundings, with its required effect.
import assert from "node:assert/strict";
import { join } from "node:path";
import { sourceCommand } from "../../cli/self_command.ts";
import { ApiError, type Client } from "../../api/client/client.ts";
import type { ExecutionDetail } from "../../api/schemas/execution_schemas.ts";
import { createRealHome, type RealHome, untilFound } from "../../tests/e2e/real_process.ts";
import { findViolations } from "../soak/invariants/invariants.ts";

/** One fault. Its check throws when a requirement is violated. */
export interface Fault {
  /** A sentence: the fault, and its required effect. */
  name: string;
  /** Returns the reason why it cannot be produced on this machine; undefined when it can. */
  unavailable?: () => string | undefined;
  check: () => Promise<void>;
}

/** A service in a process of its own, with a client. */
export interface FaultyWorld extends AsyncDisposable {
  home: RealHome;
  client: Client;
  /** The process id of the service. */
  pid: number;
  /** Runs an agent and waits for its end. */
  run(agent: string): Promise<ExecutionDetail>;
  /** Waits for the end of an execution. */
  end(id: number): Promise<ExecutionDetail>;
  /** Returns the service's log so far. */
  log(): Promise<string>;
  /** Stops the service and checks its database. */
  stop(): Promise<void>;
}

/** Starts a service; `wrap` is a program that starts the command line after it. */
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
          neverAsking: [],
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

/** Returns the service's message for a refusal. */
export async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(() => undefined, (error) => error);
  assert.ok(error instanceof ApiError, `refused by the service: ${error}`);
  return error.message;
}

/** Asserts that a text for people contains no internals of the program. */
export function assertNoTrace(text: string): void {
  assert.doesNotMatch(text, /^\s+at .*\.ts:\d+/m);
}
