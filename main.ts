#!/usr/bin/env -S deno run --quiet --no-prompt --no-remote --frozen --allow-read --allow-write --allow-net --allow-env --allow-run --allow-sys
// The entry point of the program: runs an agent's tool, prints the version, or starts the command line. Each of these three
// tasks loads only its own code.
import denoJson from "./deno.json" with { type: "json" };

const { version } = denoJson;
/** The milliseconds after which a process that ends by itself is ended although resources are open. */
const LINGER_MS = 2_000;

if (import.meta.main) {
  // The name of the variable is defined in runtime/tools/custom/host_messages.ts.
  const role = Deno.env.get("INKLING_HOST");
  if (role !== undefined) {
    // This executable was started by Inkling to run an agent's tool or script in a sandbox.
    const { runHost } = await import("./runtime/tools/custom/host/run_host.ts");
    Deno.exit(await runHost(role));
  } else if (!printVersion()) {
    const [{ openApp }, { runCli }, { isExporting }] = await Promise.all([
      import("./app/app.ts"),
      import("./cli/mod.ts"),
      import("./app/telemetry.ts"),
    ]);
    const code = await runCli(Deno.args, await openApp({ version }));
    if (!isExporting) Deno.exit(code);
    await endByItself(code);
  }
}

/**
 * Prints the version and returns true if `--version` is the only argument; otherwise returns false. Loads no other code,
 * because scripts call it often.
 */
function printVersion(): boolean {
  if (Deno.args.length !== 1 || !/^(-V|--version)$/.test(Deno.args[0] ?? "")) return false;
  try {
    console.log(version);
    return true;
  } catch {
    // The output failed. The command line tries again and reports the error.
    return false;
  }
}

/**
 * Ends a process that exports telemetry when nothing is left to do. Decision: no Deno.exit() (rejected: one way to end
 * every process), because it blocks this thread while the last spans are sent. A metrics export that is due then waits for
 * this thread, and Deno.exit() waits for the export forever (seen with Deno 2.9.6).
 */
async function endByItself(code: number): Promise<void> {
  Deno.exitCode = code;
  const { whenStillRunning } = await import("./base/clock.ts");
  whenStillRunning(LINGER_MS, () => Deno.exit(code));
}
