// Runs the public conformance tests and the inspector of MCP against /mcp. Needs npx and the package registry.
import { createApp } from "../../server/app.ts";
import { hostCheck } from "../../server/middleware/host_check.ts";
import { Lifecycle } from "../../api/streams/lifecycle.ts";
import { createTestWorkspace } from "../../tests/support/test_workspace.ts";

const CONFORMANCE = "npm:@modelcontextprotocol/conformance@0.1.16";
const INSPECTOR = "@modelcontextprotocol/inspector@2.12.0";

/** The scenarios for every server. The others need a server with certain tools, prompts or resources. */
const SCENARIOS = [
  ...["server-initialize", "ping", "tools-list", "resources-list", "dns-rebinding-protection"],
  "server-sse-multiple-streams",
];

/** The arguments of the inspector's command line, each with a text of its expected output. */
const INSPECTIONS: readonly [args: readonly string[], expected: string][] = [
  [["--method", "tools/list"], '"name": "list_agents"'],
  [
    ["--method", "tools/call", "--tool-name", "sums", "--tool-arg", "message=2 + 2"],
    "The sum is 4.",
  ],
  [["--method", "tools/call", "--tool-name", "list_agents"], "Sums numbers."],
  [["--method", "resources/list"], "inkling://executions/1/report"],
  [["--method", "resources/read", "--uri", "inkling://executions/1/report"], "The sum is 4."],
];

await using place = await createTestWorkspace();
const steps = [{ say: "The sum is 4." }];
await place.writeScript("sums", steps, "expose: true\ndescription: Sums numbers.");
await using runtime = await place.open();
const lifecycle = new Lifecycle({ runtime, keepAlive: true });
// Neither tool can send a key, so this listener checks only Host and Origin, as the service does after the key.
const guards = [hostCheck({ hosts: [], origins: [] })];
const app = createApp({ runtime, lifecycle, transports: () => [], caller: { via: "api" } }, {
  guards,
});
await using server = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: () => {} },
  (request) => app.fetch(request),
);
const address = `http://localhost:${server.addr.port}/mcp`;

let failed = 0;
for (const scenario of SCENARIOS) {
  const args = ["server", "--url", address, "--scenario", scenario];
  const { code, text } = await run(Deno.execPath(), ["run", "-A", CONFORMANCE, ...args]);
  const [figures = text.slice(-500)] = /Passed: .*/.exec(text) ?? [];
  print(code === 0, `conformance ${scenario}`, figures);
}
for (const [args, expected] of INSPECTIONS) {
  const all = ["-y", INSPECTOR, "--cli", address, "--transport", "http", ...args];
  const { code, text } = await run("npx", all);
  const isFine = code === 0 && text.includes(expected);
  print(isFine, `inspector ${args.slice(1).join(" ")}`, isFine ? "" : text.slice(-500));
}
console.log(failed === 0 ? "Everything held." : `${failed} failed.`);
Deno.exitCode = failed === 0 ? 0 : 1;

function print(isFine: boolean, name: string, figures: string): void {
  if (!isFine) failed++;
  console.log(`${isFine ? "ok    " : "FAILED"} ${name} ${figures}`);
}

async function run(program: string, args: string[]): Promise<{ code: number; text: string }> {
  const command = new Deno.Command(program, { args, stdout: "piped", stderr: "piped" });
  const { code, stdout, stderr } = await command.output();
  const decoder = new TextDecoder();
  return { code, text: decoder.decode(stdout) + decoder.decode(stderr) };
}
