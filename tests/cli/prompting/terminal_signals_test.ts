import assert from "node:assert/strict";

/** Runs a script with a guard that prints a line, and returns the signal that ended it and its output. */
async function runGuarded(script: string): Promise<[Deno.Signal | null, string]> {
  const place = import.meta.resolve("../../../cli/prompting/terminal_signals.ts");
  const text = `import { beforeEnding } from "${place}";
const guard = beforeEnding(() => console.log("restored"));
${script}
setTimeout(() => Deno.exit(1), 60_000);`;
  const { signal, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-check", text],
  }).output();
  return [signal, new TextDecoder().decode(stdout)];
}

Deno.test("beforeEnding() restores the terminal before a signal ends the process", async () => {
  const script = 'Deno.kill(Deno.pid, "SIGTERM");';
  assert.deepEqual(await runGuarded(script), ["SIGTERM", "restored\n"]);
});

Deno.test("beforeEnding(): a signal that arrives during the disposal ends the process", async () => {
  // The guard is disposed before the process has handled the signal.
  const script = `Deno.kill(Deno.pid, "SIGTERM");
for (const end = performance.now() + 50; performance.now() < end;);
guard[Symbol.dispose]();`;
  assert.deepEqual(await runGuarded(script), ["SIGTERM", ""]);
});
