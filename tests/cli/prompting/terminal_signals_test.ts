import assert from "node:assert/strict";

/** Sends SIGTERM to itself, and disposes the guard before the process has handled the signal. */
const SCRIPT = `
import { beforeEnding } from "${import.meta.resolve("../../../cli/prompting/terminal_signals.ts")}";
const guard = beforeEnding(() => console.log("too late"));
Deno.kill(Deno.pid, "SIGTERM");
for (const end = performance.now() + 50; performance.now() < end;);
guard[Symbol.dispose]();
setTimeout(() => Deno.exit(1), 60_000);
`;

Deno.test("beforeEnding(): a signal that arrives during the disposal ends the process", async () => {
  const { signal, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-check", SCRIPT],
  }).output();
  assert.equal(signal, "SIGTERM");
  assert.equal(new TextDecoder().decode(stdout), "");
});
