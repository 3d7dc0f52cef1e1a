// Runs a service in a child process, which is killed at a given call of its store.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { REPOSITORY } from "../../support/repository.ts";
import type { TestWorkspace } from "../../support/test_workspace.ts";

/**
 * The executions to start, and the store's call at which the service is killed. The child process approves questions with
 * `edits`.
 */
export interface DeathOrder {
  start: string[];
  isDry?: true;
  edits?: object;
  crash: { method: string; when: "before" | "after"; nth: number };
}

/** Resolves when the service is dead. Throws if the service never made the call. */
export async function startAndDie(
  { shell, root: home }: Pick<TestWorkspace, "shell" | "root">,
  { crash, ...order }: DeathOrder,
): Promise<void> {
  const { signal } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--no-prompt", "--config", join(REPOSITORY, "tests", "deno.json"), "--no-check"],
      ...["--allow-read", "--allow-write", "--allow-env", "--allow-sys", "--allow-run"],
      "--allow-net",
      fileURLToPath(new URL("../../../proof/crash/service.ts", import.meta.url)),
      JSON.stringify({ ...order, shell, home, crash: { ...crash, name: crash.method } }),
    ],
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
  }).output();
  assert.equal(signal, "SIGKILL");
}
