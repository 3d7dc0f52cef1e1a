// Starts the service of mortal_service.ts as a process that can be killed.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PERMISSION_FLAGS } from "../../../cli/self_command.ts";
import { REPOSITORY } from "../../support/repository.ts";
import type { TestWorkspace } from "../../support/test_workspace.ts";
import type { MortalOrder } from "./mortal_service.ts";

const PROGRAM = fileURLToPath(new URL("./mortal_service.ts", import.meta.url));

/** Starts the service as a process. Resolves when it is ready or has died. */
export async function serve(
  place: Pick<TestWorkspace, "root" | "shell">,
  death: MortalOrder["death"] = null,
): Promise<Deno.ChildProcess> {
  const order: MortalOrder = { shell: place.shell, home: place.root, death };
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--config", join(REPOSITORY, "tests/deno.json"), "--no-check"],
      ...PERMISSION_FLAGS,
      PROGRAM,
      JSON.stringify(order),
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  reader.releaseLock();
  // An undefined value means that the process died before it printed anything.
  if (value !== undefined) assert.equal(new TextDecoder().decode(value).trim(), "ready");
  return child;
}

/** Waits until the service has killed itself. */
export async function untilDead(child: Deno.ChildProcess): Promise<void> {
  await child.stdout.cancel();
  assert.equal((await child.status).signal, "SIGKILL");
}

/** Kills the service. */
export async function kill(child: Deno.ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await untilDead(child);
}
