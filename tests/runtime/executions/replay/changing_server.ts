// An MCP server with one tool, whose argument has the name that stands in a file: `deno run changing_server.ts <file> <trace>`.
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const [file = "", trace = ""] = Deno.args;
const argument = Deno.readTextFileSync(file);

serveStdio(() => {
  const server = new McpServer({ name: "changing", version: "1.0.0" });
  server.registerTool("find", {
    description: "Finds",
    inputSchema: z.object({ [argument]: z.string() }),
    annotations: { readOnlyHint: true },
  }, () => {
    Deno.writeTextFileSync(trace, "called\n", { append: true });
    return { content: [{ type: "text" as const, text: "found" }] };
  });
  return server;
});
