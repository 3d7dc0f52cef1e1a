// Runs the built-in tools with a path sandbox and a policy that allow everything, so that only Deno refuses calls. Reads
// the calls from standard input and prints one result per line.
import { PathSandbox } from "../../../runtime/tools/files/path_sandbox.ts";
import { createBuiltinTools } from "../../../runtime/tools/toolbox.ts";
import { call, testContext } from "../../runtime/tools/files/sandbox_fixture.ts";

const { workspace, calls } = JSON.parse(await new Response(Deno.stdin.readable).text()) as {
  workspace: string;
  calls: { name: string; arguments: Record<string, unknown> }[];
};
const nowhere = "/nowhere/at/all";
const sandbox = new PathSandbox({
  workspace,
  agentsDir: null,
  configDir: nowhere,
  stateDir: nowhere,
  home: workspace,
  paths: [{ alias: "everything", path: "/" }],
});
const tools = createBuiltinTools({ http: { allow: [], deny: [], ownPorts: () => [] } });

for (const { name, arguments: args } of calls) {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) throw new TypeError(`there is no tool ${name}`);
  try {
    console.log(JSON.stringify({ result: await call(tool, args, testContext(sandbox)) }));
  } catch (error) {
    console.log(JSON.stringify({ error: error instanceof Error ? error.message : String(error) }));
  }
}
