// An MCP server that appends a line to a trace file for each call. Usage: `deno run witness_server.ts <trace> <file with
// the name of an argument>`.
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const [trace = "", file = ""] = Deno.args;
const argument = Deno.readTextFileSync(file);

serveStdio(() => {
  const server = new McpServer({ name: "witness", version: "1.0.0" });
  const register = (
    name: string,
    annotations: Record<string, boolean>,
    inputSchema = z.object({}),
  ) =>
    server.registerTool(name, { description: `It is ${name}`, inputSchema, annotations }, () => {
      Deno.writeTextFileSync(trace, `${name}\n`, { append: true });
      return { content: [{ type: "text" as const, text: `${name} did it` }] };
    });
  register("look", { readOnlyHint: true });
  register("change", {});
  register("set", { idempotentHint: true });
  register("find", { readOnlyHint: true }, z.object({ [argument]: z.string() }));
  return server;
});
