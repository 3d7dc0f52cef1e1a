// The main thread of a process that hosts tools or a script, checks arguments or reads a PDF file. It is trusted, and
// outside of the worker's boundaries.
import { SystemClock } from "../../../../base/clock.ts";
import type { HostStreams } from "./host_options.ts";

/** Runs a role (see HostRole) to its end. Returns the exit code of the process. */
export async function runHost(role: string, streams: HostStreams): Promise<number> {
  const options = { ...streams, clock: new SystemClock() };
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
