// Starts the code of a host process's role: it hosts tools or a script, checks values, or reads a PDF file. This code is
// trusted, and runs outside of the worker.
import { SystemClock } from "../../../../base/clock.ts";
import type { HostRole } from "../host_messages.ts";
import type { HostOptions } from "./host_options.ts";

/** The functions that load the code of each role. */
const ROLES: Readonly<Record<HostRole, () => Promise<(options: HostOptions) => Promise<number>>>> =
  {
    tools: async () => (await import("./tool_host.ts")).hostTools,
    script: async () => (await import("./script_host.ts")).hostScript,
    check: async () => (await import("./check_host.ts")).hostCheck,
    pdf: async () => (await import("./pdf_host.ts")).hostPdf,
  };

/** Runs a HostRole to its end. Returns the exit code of the process. Throws TypeError for an unknown role. */
export async function runHost(role: string): Promise<number> {
  const load = Object.entries(ROLES).find(([name]) => name === role)?.[1];
  if (load === undefined) throw new TypeError(`There is no role ${role} for a host`);
  const run = await load();
  const { readable: input } = Deno.stdin;
  const { writable: output } = Deno.stdout;
  return await run({ input, output, clock: new SystemClock() });
}
