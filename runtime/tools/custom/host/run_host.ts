// Starts the code of a host process's role: it hosts tools or a script, checks values, or reads a PDF file. This code is
// trusted, and runs outside of the worker.
import { SystemClock } from "../../../../base/clock.ts";

/** Runs a HostRole to its end. Returns the exit code of the process. Throws TypeError for an unknown role. */
export async function runHost(role: string): Promise<number> {
  const { readable: input } = Deno.stdin;
  const { writable: output } = Deno.stdout;
  const options = { input, output, clock: new SystemClock() };
  switch (role) {
    case "tools": {
      const { hostTools } = await import("./tool_host.ts");
      return await hostTools(options);
    }
    case "script": {
      const { hostScript } = await import("./script_host.ts");
      return await hostScript(options);
    }
    case "check": {
      const { hostCheck } = await import("./check_host.ts");
      return await hostCheck(options);
    }
    case "pdf": {
      const { hostPdf } = await import("./pdf_host.ts");
      return await hostPdf(options);
    }
    default:
      throw new TypeError(`There is no role ${role} for a host`);
  }
}
