// Runs a service in a child process, which is killed at given calls of its stores.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { REPOSITORY } from "../../support/repository.ts";
import type { TestWorkspace } from "../../support/test_workspace.ts";

/** A call of a store by a run of an agent: the call never returns. */
export interface Death {
  agent: string;
  method: string;
  when: "before" | "after";
  nth: number;
}

/**
 * The executions to start, and the calls at which they stop. The service is killed when all are reached. The child process
 * approves questions, with `edits` as the arguments of the agents' calls.
 */
export interface DeathOrder {
  start: string[];
  isDry?: true;
  edits?: Record<string, object>;
  deaths: Death[];
}

/** Resolves when the service is dead. Throws if the service did not make each call. */
export async function startAndDie(
  { shell, root: home }: Pick<TestWorkspace, "shell" | "root">,
  { deaths, ...order }: DeathOrder,
): Promise<void> {
  const points = deaths.map((death) => ({ ...death, name: death.method }));
  const { signal } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--no-prompt", "--config", join(REPOSITORY, "tests", "deno.json"), "--no-check"],
      ...["--allow-read", "--allow-write", "--allow-env", "--allow-sys", "--allow-run"],
      "--allow-net",
      fileURLToPath(new URL("../../../proof/crash/service.ts", import.meta.url)),
      JSON.stringify({ ...order, shell, home, points }),
    ],
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
  }).output();
  assert.equal(signal, "SIGKILL");
}
