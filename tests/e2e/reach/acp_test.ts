// Tests `inkling acp` in a real process with the client of the protocol's own package.
import assert from "node:assert/strict";
import { client as createEditor, methods, ndJsonStream } from "@agentclientprotocol/sdk";
import { call } from "../../runtime/executions/executions_of.ts";
import { createRealHome, killService } from "../real_process.ts";

Deno.test("acp starts the service, also if it stops between prompts or while a person is asked", async () => {
  await using home = await createRealHome();
  await home.writeScript("asker", [
    { call: [call("file_write", { path: "a.txt", content: "x" })] },
    { say: "Done." },
  ]);
  const [command = "", ...args] = await home.command(["acp", "asker"]);
  const env = { ...Deno.env.toObject(), ...home.environment() };
  const acp = new Deno.Command(command, {
    ...{ args, env, stdin: "piped", stdout: "piped", stderr: "null" },
  }).spawn();
  let asked = 0;
  let shown = "";
  const app = createEditor({ name: "editor" })
    .onNotification(methods.client.session.update, ({ params: { update } }) => {
      if (update.sessionUpdate !== "agent_message_chunk") return;
      if (update.content.type === "text") shown += update.content.text;
    })
    .onRequest(methods.client.session.requestPermission, async () => {
      if (++asked === 1) await killService(home.stateDir);
      return { outcome: { outcome: "selected" as const, optionId: "approve" } };
    });
  await app.connectWith(ndJsonStream(acp.stdin, acp.stdout), async (agent) => {
    await agent.request(methods.agent.initialize, { protocolVersion: 1 });
    const { sessionId } = await agent.request(methods.agent.session.new, {
      cwd: home.workspace,
      mcpServers: [],
    });
    for (const round of [1, 2]) {
      const { stopReason } = await agent.request(methods.agent.session.prompt, {
        sessionId,
        prompt: [{ type: "text", text: "Go" }],
      });
      assert.equal(stopReason, "end_turn");
      assert.equal(shown, "Done.".repeat(round));
      assert.equal(asked, round);
      if (round === 1) await killService(home.stateDir);
    }
  });
  await acp.stdin.close();
  assert.equal((await acp.status).code, 0);
});
