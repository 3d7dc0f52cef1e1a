// An MCP server whose tools ask people, and which has instructions.
import { inputRequired, McpServer } from "@modelcontextprotocol/server";

const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });
const form = (properties: Record<string, unknown>, required: string[] = Object.keys(properties)) =>
  ({ type: "object", properties, required }) as never;

/** Creates the server. `calls` gets the name of each called tool, and `twice ended` at each end of a call of `twice`. */
export function createAskingServer(calls: string[], instructions?: string): McpServer {
  const server = new McpServer({ name: "asking", version: "1.0.0" }, {
    ...(instructions !== undefined && { instructions }),
  });
  const ask = async (message: string, requestedSchema: never) => {
    const { action, content } = await server.server.elicitInput({ message, requestedSchema });
    return text(`${action} ${JSON.stringify(content ?? null)}`);
  };
  const register = (name: string, run: () => Promise<ReturnType<typeof text>>) =>
    server.registerTool(name, { description: `Asks: ${name}` }, () => {
      calls.push(name);
      return run();
    });
  register("wipe", () => ask("Really wipe?\u001b[2J", form({})));
  register(
    "paint",
    () => ask("Which color?", form({ color: { type: "string", enum: ["red", "blue"] } })),
  );
  register("book", () =>
    ask(
      "Your booking",
      form({
        name: { type: "string", title: "Guest" },
        seats: { type: "integer", minimum: 1, maximum: 4 },
        quiet: { type: "boolean", default: false },
      }, ["name", "seats"]),
    ));
  register("visit", async () => {
    const result = await server.server.elicitInput({
      mode: "url",
      elicitationId: "one",
      url: "https://example.com/sign-in",
      message: "Sign in",
    });
    return text(result.action);
  });
  register("twice", async () => {
    const one = await ask("First?", form({}));
    const two = await ask("Second?", form({}));
    calls.push("twice ended");
    return text(`${one.content[0]?.text}; ${two.content[0]?.text}`);
  });
  register("plain", () => Promise.resolve(text("plain")));
  // Each of these two tools waits for the call of the other, so the question comes while both calls run.
  const besideCalled = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  register("ask_beside", async () => {
    await besideCalled.promise;
    return await ask("Beside?", form({})).finally(asked.resolve);
  });
  register("beside", async () => {
    besideCalled.resolve();
    await asked.promise;
    return text("beside");
  });
  // By the newest protocol the server returns its questions as a result, and is called again with the answers.
  server.registerTool("survey", { description: "Asks twice" }, ({ mcpReq: { inputResponses } }) => {
    calls.push("survey");
    if (inputResponses !== undefined) return text(JSON.stringify(inputResponses));
    const elicit = (message: string, requestedSchema: never) =>
      inputRequired.elicit({ mode: "form", message, requestedSchema });
    return inputRequired({
      inputRequests: {
        color: elicit("Which color?", form({ color: { type: "string", enum: ["red", "blue"] } })),
        name: elicit("Which name?", form({ name: { type: "string" } })),
      },
    });
  });
  return server;
}
