// Tests `inkling mcp serve` in a real process with the official client.
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { call } from "../../runtime/executions/executions_of.ts";
import { createRealHome, killService, type RealHome } from "../real_process.ts";

async function connect(home: RealHome, client: Client): Promise<StdioClientTransport> {
  const [command = "", ...args] = await home.command(["mcp", "serve"]);
  const env = { ...Deno.env.toObject(), ...home.environment() };
  const transport = new StdioClientTransport({ command, args, env, stderr: "ignore" });
  // The transport reports each line of standard output that is no message of the protocol.
  await client.connect(transport);
  return transport;
}

// The client's transport leaves a timer that would kill its process.
Deno.test("mcp serve starts the service, asks with a form, and survives its death", {
  sanitizeOps: false,
  sanitizeResources: false,
}, async () => {
  await using home = await createRealHome();
  await home.writeScript("asker", [
    { call: [call("ask_user", { question: "Which color?" })] },
    { say: "Took {result}" },
  ], "expose: true");
  for (const mode of ["legacy", "auto"] as const) {
    const strays: string[] = [];
    const client = new Client({ name: "test", version: "1" }, {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode },
    });
    client.onerror = (error) => void strays.push(error.message);
    client.setRequestHandler(
      "elicitation/create",
      () => Promise.resolve({ action: "accept", content: { text: "green" } }),
    );
    await connect(home, client);
    try {
      const textOf = async (name: string) => {
        const { content } = await client.callTool({ name, arguments: { message: "Go" } });
        return JSON.stringify(content);
      };
      assert.match(await textOf("asker"), /Took green/);
      if (mode === "auto") {
        await killService(home.stateDir);
        assert.match(await textOf("asker"), /Took green/, "the service is started again");
      }
      assert.deepEqual(strays, []);
    } finally {
      await client.close();
    }
  }
});

Deno.test("mcp serve ends with the reason if the service cannot start", async () => {
  await using home = await createRealHome();
  await Deno.writeTextFile(`${home.configDir}/config.yaml`, "workspace: [");
  const { code, stdout, stderr } = await home.inkling("mcp", "serve");
  assert.equal(code, 3);
  assert.equal(stdout, "");
  assert.match(stderr, /The service did not start:\n.*config\.yaml:1:\d+: Broken YAML/);
});
