// Implements the role `script`: runs one script in a worker. The script gets arguments, and its output and exit code are
// those of the process.
import type { HostedScript } from "../host_messages.ts";
import { workerModule } from "../../../../base/program_files.ts";
import { confinedWorker } from "./confined_worker.ts";
import { MEMORY_LIMIT_MB, memoryExceeded } from "./resource_guard.ts";
import type { HostOptions } from "./host_options.ts";

/** Runs the script that standard input describes. Returns the script's exit code. */
export async function hostScript({ input, output, clock }: HostOptions): Promise<number> {
  const script = JSON.parse(await new Response(input).text()) as HostedScript;
  return await Promise.race([
    runScript(script),
    memoryExceeded(clock).then(async () => {
      const line = `\nThe script used more than ${MEMORY_LIMIT_MB} MB of memory\n`;
      await output.getWriter().write(new TextEncoder().encode(line));
      return 1;
    }),
  ]);
}

function runScript(script: HostedScript): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const worker = confinedWorker(workerModule("script_worker"), script.permissions);
  worker.onmessage = ({ data }) => resolve(typeof data === "number" ? data : 1);
  worker.onerror = (event) => {
    event.preventDefault();
    reject(new Error(event.message));
  };
  worker.postMessage(script);
  return promise;
}
