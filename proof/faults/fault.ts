// Defines a fault of the machine or of something that the service uses, and starts the service on which a fault is
// produced.
import assert from "node:assert/strict";
import { join } from "node:path";
import { ApiError, type Client } from "../../api/client/client.ts";
import type { ExecutionDetail } from "../../api/schemas/execution_schemas.ts";
import { createRealHome, type RealHome, untilFound } from "../../tests/e2e/real_process.ts";
import { programCommand } from "../../tests/support/program.ts";
import { findViolations } from "../soak/invariants/invariants.ts";

/** A fault with a check. `check` throws if the service does not behave as the name says. */
export interface Fault {
  /** A sentence that states the fault and what Inkling must then do. */
  name: string;
  /** Returns the reason why this machine cannot produce the fault, or undefined if it can. */
  unavailable?: () => string | undefined;
  check: () => Promise<void>;
}

/** A service that runs in a separate process, with a client. */
export interface FaultyWorld extends AsyncDisposable {
  home: RealHome;
  client: Client;
  /** The process id of the service. */
  pid: number;
  /** Runs an agent, waits until its execution has ended, and returns the execution. */
  run(agent: string): Promise<ExecutionDetail>;
  /** Waits until an execution has ended, and returns the execution. */
  end(id: number): Promise<ExecutionDetail>;
  /** Returns the present text of the service's log. */
  log(): Promise<string>;
  /** Stops the service and throws if the database breaks an invariant. */
  stop(): Promise<void>;
}

/** Starts a service in a new home directory. `wrap` is a command prefix that starts the service's command line. */
export async function openWorld(
  options: {
    wrap?: readonly string[];
    /** Called with the new home directory before the service starts. */
    prepare: (home: RealHome) => Promise<void>;
  },
): Promise<FaultyWorld> {
  const command = [...options.wrap ?? [], ...programCommand()];
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
          // The service has already ended.
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

/** Awaits `work`, which the service must refuse, and returns the message of the refusal. */
export async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(() => undefined, (error) => error);
  assert.ok(error instanceof ApiError, `refused by the service: ${error}`);
  return error.message;
}

/** Asserts that a text for people contains no stack trace. */
export function assertNoTrace(text: string): void {
  assert.doesNotMatch(text, /^\s+at .*\.ts:\d+/m);
}
