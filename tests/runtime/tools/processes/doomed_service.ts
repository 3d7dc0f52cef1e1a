// A process that runs something which never ends, of this kind, as a service does, and waits to be killed. The program
// writes its number into the file `pid` of the folder.
import { SystemClock } from "../../../../base/clock.ts";
import { ServerProcess } from "../../../../runtime/tools/mcp/server_process.ts";
import { MCP_LIMITS } from "../../../../runtime/tools/mcp/mcp_limits.ts";
import { runProgram } from "../../../../runtime/tools/processes/run_program.ts";
import { Redactor } from "../../../../runtime/secrets/redactor.ts";

const [kind, cwd = ""] = Deno.args;
const clock = new SystemClock();
const args = ["-c", "trap '' TERM HUP; echo $$ > pid; while :; do sleep 1; done"];
if (kind === "server") {
  const program = {
    ...{ kind: "program", command: "sh", args, env: { PATH: "/usr/bin:/bin" }, cwd } as const,
    startsInOwnFolder: false,
    workspace: cwd,
  };
  await ServerProcess.start(program, { clock, limits: MCP_LIMITS, onOutput: () => {} }).ended;
} else {
  await runProgram("sh", {
    args,
    cwd,
    environment: { PATH: "/usr/bin:/bin" },
    timeoutMs: 600_000,
    maxOutputBytes: 1_000,
    signal: new AbortController().signal,
    clock,
    redactor: new Redactor(() => []),
  });
}
