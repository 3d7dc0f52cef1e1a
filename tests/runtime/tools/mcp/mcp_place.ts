// Creates a workspace with MCP servers, for tests of whole runs.
import { join } from "node:path";
import {
  createTestWorkspace,
  payloadsOf,
  type TestWorkspace,
} from "../../../support/test_workspace.ts";
import type { Runtime } from "../../../../runtime/interface/runtime.ts";
import type { FixtureHttpServer } from "./http_server.ts";

/** Creates a workspace with these MCP servers. */
export async function createPlace(
  servers: Record<string, unknown>,
  mcpConfirm?: string,
): Promise<TestWorkspace> {
  const place = await createTestWorkspace({ shell: { PATH: Deno.env.get("PATH") ?? "" } });
  if (mcpConfirm !== undefined) {
    await place.configure(`defaults: { mcp_confirm: ${mcpConfirm} }\n`);
  }
  const folder = join(place.agentsDir, "_config");
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(join(folder, "mcp-servers.json"), JSON.stringify(servers));
  return place;
}

/** Returns the entry of a listening server. */
export const entryOf = (server: FixtureHttpServer): { url: string } => ({ url: server.url });
/** Returns a call for a scripted reply. */
export const call = (
  name: string,
  args: Record<string, unknown> = {},
): { name: string; arguments: Record<string, unknown> } => ({
  name,
  arguments: args,
});

/** Returns the contents of the results of a run's calls. */
export async function resultsOf(runtime: Runtime, id: number): Promise<unknown[]> {
  return (await payloadsOf(runtime, id)).filter((one) => one["event_type"] === "tool_result")
    .map((one) => one["content"]);
}
