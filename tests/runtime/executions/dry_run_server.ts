// An MCP server that leaves a trace of each call: `deno run dry_run_server.ts <file>`.
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const [trace = ""] = Deno.args;

function note(name: string) {
  Deno.writeTextFileSync(trace, `${name}\n`, { append: true });
  return { content: [{ type: "text" as const, text: `${name} did it` }] };
}

serveStdio(() => {
  const server = new McpServer({ name: "witness", version: "1.0.0" });
  const inputSchema = z.object({});
  const annotations = { readOnlyHint: true };
  const description = "Looks";
  server.registerTool("look", { description, inputSchema, annotations }, () => note("look"));
  server.registerTool("change", { description: "Changes", inputSchema }, () => note("change"));
  server.registerTool("set", {
    description: "Sets",
    inputSchema,
    annotations: { idempotentHint: true },
  }, () => note("set"));
  return server;
});
