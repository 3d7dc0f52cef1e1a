// A process like a service: it runs an endless MCP server and an endless program of a tool, and waits to be killed. They
// write their process ids to the files `server` and `program` of the folder.
import { ForwardProxy } from "../../../../runtime/tools/http/forward_proxy.ts";
import { SystemClock } from "../../../../base/clock.ts";
import { StdioTransport } from "../../../../runtime/tools/mcp/stdio_transport.ts";
import { ProcessSandbox } from "../../../../runtime/sandbox/process_sandbox.ts";
import { MCP_LIMITS } from "../../../../runtime/tools/mcp/mcp_limits.ts";
import { runProgram } from "../../../../runtime/tools/processes/run_program.ts";
import { Redactor } from "../../../../runtime/secrets/redactor.ts";

/** A proxy that never listens, because no program in this process is sandboxed. */
const NO_PROXY = new ForwardProxy({ socketFile: "/nonexistent", ownPorts: () => [] });

const [cwd = ""] = Deno.args;
const clock = new SystemClock();
const argsOf = (kind: string) => [
  "-c",
  `trap '' TERM HUP; echo $$ > ${kind}; while :; do sleep 1; done`,
];
const program = {
  ...{ kind: "program", command: "sh", args: argsOf("server"), cwd } as const,
  env: { PATH: "/usr/bin:/bin" },
  startsInOwnFolder: false,
  ownFolder: cwd,
  sandbox: null,
  workspace: cwd,
  secrets: [],
};
const sandbox = new ProcessSandbox({ mode: () => "off", home: "/" });
const confinement = { sandbox, home: "/", closed: [], proxy: NO_PROXY };
const unused = () => Promise.reject(new Error("no sign-in is needed"));
const transport = new StdioTransport("doomed", program, {
  clock,
  log: { write() {} },
  limits: MCP_LIMITS,
  confinement,
  version: "0.0.0-test",
  credentials: { read: unused, change: unused, forget: unused },
  variableNames: () => [],
});
await transport.start();
await runProgram("sh", {
  args: argsOf("program"),
  cwd,
  environment: { PATH: "/usr/bin:/bin" },
  timeoutMs: 600_000,
  maxOutputBytes: 1_000,
  signal: new AbortController().signal,
  clock,
  redactor: new Redactor(() => []),
});
