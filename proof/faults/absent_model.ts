// Fault: model endpoints that are absent (an unknown name, a closed port, a server that never answers).
import assert from "node:assert/strict";
import { join } from "node:path";
import { assertNoTrace, type Fault, openWorld } from "./fault.ts";

export const absentModel: Fault = {
  name:
    "A model that cannot be reached or never answers ends its run in time, with what to look at",
  async check() {
    using silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const accepted: Deno.Conn[] = [];
    const accepting = (async () => {
      for await (const connection of silent) accepted.push(connection);
    })();
    try {
      await using world = await openWorld({
        async prepare(home) {
          await Deno.mkdir(join(home.agentsDir, "_config"));
          await Deno.writeTextFile(
            join(home.agentsDir, "_config", ".env"),
            "LOCAL_API_KEY=key-0123456789\n",
          );
          const agent = (id: string, address: string) =>
            home.writeAgent(
              id,
              `---\nmodel: { provider: local, name: test, base_url: "${address}" }\n` +
                "settings: { timeout: 1 }\n---\nSay hello.\n",
            );
          await agent("nowhere", "http://model.invalid/v1");
          await agent("closed", "http://127.0.0.1:9/v1");
          await agent("silent", `http://127.0.0.1:${(silent.addr as Deno.NetAddr).port}/v1`);
          await home.writeScript("quick", [{ say: "Done." }]);
        },
      });
      const { client } = world;
      const started = await Promise.all(
        ["nowhere", "closed", "silent"].map((agent) => client.run(agent)),
      );
      // Runs of other agents continue while the three models do not answer.
      assert.equal((await world.run("quick")).status, "success");
      const sentences = [
        /model\.invalid/,
        /127\.0\.0\.1:9/,
        /did not answer|no answer|timed? ?out|within 1/i,
      ];
      for (const [index, { execution_id: id }] of started.entries()) {
        const { status, error } = await world.end(id);
        assert.ok(["error", "timeout"].includes(status), status);
        assert.match(error ?? "", sentences[index] ?? /./);
        assertNoTrace(error ?? "");
      }
      await world.stop();
    } finally {
      silent.close();
      for (const connection of accepted) connection.close();
      await accepting;
    }
  },
};
