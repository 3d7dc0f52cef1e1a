// An MCP server made with the official server package. Its tools cover correct, faulty and hostile behavior.
import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

/** Observations of the server, for tests in the same process. */
export interface FixtureSightings {
  /** The number of running calls of `hang`. */
  hanging: number;
  cancelled: number;
}

const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

/** The declaration of the tool `echo`. */
export interface EchoDeclaration {
  description?: string;
  takesMore?: boolean;
  writes?: boolean;
}

/** Creates a server with one tool for each behavior. */
export function createFixtureServer(
  seen: FixtureSightings = { cancelled: 0, hanging: 0 },
  echo: EchoDeclaration = {},
): McpServer {
  const capabilities = { tools: { listChanged: true }, logging: {} };
  const server = new McpServer({ name: "fixture", version: "1.0.0" }, { capabilities });
  server.registerTool("echo", {
    description: echo.description ?? "Gives back what it gets",
    inputSchema: echo.takesMore
      ? z.object({ text: z.string(), notes: z.string().optional() })
      : z.object({ text: z.string() }),
    annotations: { readOnlyHint: !echo.writes },
  }, ({ text: value }) => text(value));
  server.registerTool("slow_echo", {
    description: "Gives back what it gets, after a while",
    inputSchema: z.object({ text: z.string(), ms: z.number() }),
    annotations: { idempotentHint: true },
  }, async ({ text: value, ms }) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return text(value);
  });
  server.registerTool("add", {
    description: "Adds",
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    outputSchema: z.object({ sum: z.number() }),
  }, ({ a, b }) => ({ content: [], structuredContent: { sum: a + b } }));
  server.registerTool("fail", { description: "Says that it failed" }, () => ({
    ...text("the disk is full"),
    isError: true,
  }));
  server.registerTool("throw", { description: "Throws" }, () => {
    throw new Error("thrown inside the server");
  });
  server.registerTool("crash", { description: "Ends the server" }, () => {
    Deno.stderr.writeSync(new TextEncoder().encode("\x1b[31mabout to crash\x1b[0m\n"));
    Deno.exit(7);
  });
  server.registerTool("hang", { description: "Never answers" }, async (context) => {
    context.mcpReq.signal.addEventListener("abort", () => seen.cancelled++);
    seen.hanging++;
    const { progressToken } = context.mcpReq._meta ?? {};
    if (progressToken !== undefined) {
      const params = { progressToken, progress: 0, message: "hanging" };
      await context.mcpReq.notify({ method: "notifications/progress", params });
    }
    return await new Promise(() => {});
  });
  const description = "How many calls were cancelled";
  server.registerTool("cancelled", { description }, () => text(String(seen.cancelled)));
  server.registerTool("media", { description: "All that is no text" }, () => ({
    content: [
      { type: "image", mimeType: "image/png", data: btoa("x".repeat(12 * 1024)) },
      { type: "audio", mimeType: "audio/wav", data: btoa("x".repeat(100)) },
      { type: "resource_link", uri: "file:///a/b.txt", name: "b", mimeType: "text/plain" },
      { type: "resource", resource: { uri: "note://1", mimeType: "text/plain", text: "a note" } },
      { type: "resource", resource: { uri: "note://2", mimeType: "text/csv", blob: btoa("a,b") } },
      { type: "resource", resource: { uri: "bin://3", mimeType: "image/gif", blob: btoa("GIF") } },
    ],
  }));
  server.registerTool(
    "environment",
    { description: "The server's variables" },
    () => text(JSON.stringify(Deno.env.toObject())),
  );
  server.registerTool("pid", { description: "The server's process" }, () => text(`${Deno.pid}`));
  server.registerTool("spawn", { description: "Starts a program and leaves it running" }, () => {
    const child = new Deno.Command("sleep", { args: ["600"], stdin: "null" }).spawn();
    return text(String(child.pid));
  });
  server.registerTool("change", { description: "Adds one tool, takes one away" }, () => {
    server.registerTool("later", { description: "New" }, () => text("here I am"));
    echoless.remove();
    return text("changed");
  });
  const echoless = server.registerTool("sooner", { description: "Goes" }, () => text("still here"));
  server.registerTool("talk", { description: "Says a lot on the way" }, async (context) => {
    const { _meta } = context.mcpReq;
    for (let i = 1; i <= 100; i++) {
      await server.server.sendLoggingMessage({ level: "info", data: `line ${i}\x1b[2J` });
      if (_meta?.progressToken === undefined) continue;
      await context.mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken: _meta.progressToken, progress: i, total: 100, message: "on it" },
      });
    }
    return text("done");
  });
  server.registerTool("odd.name", { description: "Named oddly" }, () => text("odd"));
  return server;
}

/** Creates a server that lists twelve tools in pages of five. */
export function createPagedServer(): McpServer {
  const server = new McpServer({ name: "paged", version: "1.0.0" });
  const names = Array.from({ length: 12 }, (_, index) => `tool_${index + 1}`);
  for (const name of names) server.registerTool(name, {}, () => text(name));
  server.server.setRequestHandler("tools/list", ({ params }) => {
    const start = Number(params?.cursor ?? "0");
    const tools = names.slice(start, start + 5).map((name) => ({
      name,
      inputSchema: { type: "object" as const },
    }));
    return { tools, ...(start + 5 < names.length ? { nextCursor: String(start + 5) } : {}) };
  });
  return server;
}
