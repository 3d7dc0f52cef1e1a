import assert from "node:assert/strict";
import { ModelError } from "../../../runtime/models/model.ts";
import { findKey } from "../../../runtime/setup/key_state.ts";
import { withTempDir } from "../../support/temp_dir.ts";

Deno.test("findKey() tells the first place that holds a key, an empty one being none", async () => {
  await withTempDir(async (dir) => {
    const files = [`${dir}/workspace.env`, `${dir}/user.env`];
    const model = { provider: "openai", model: "m" };
    const source = (shell: Record<string, string>) => findKey(model, { files, shell }).source;
    assert.equal(source({}), undefined);
    assert.equal(source({ OPENAI_API_KEY: "k" }), "the environment");
    await Deno.writeTextFile(`${dir}/user.env`, "OPENAI_API_KEY=k\n");
    await Deno.writeTextFile(`${dir}/workspace.env`, "OPENAI_API_KEY='  '\n");
    assert.equal(source({ OPENAI_API_KEY: "k" }), `${dir}/user.env`);
    await Deno.writeTextFile(`${dir}/workspace.env`, "OPENAI_API_KEY=another\n");
    assert.equal(source({}), `${dir}/workspace.env`);
  });
});

Deno.test("findKey() tells what needs no key, and which host a key would go to", () => {
  const places = { files: [], shell: { OPENAI_API_KEY: "k" } };
  assert.equal(findKey({ provider: "ollama", model: "m" }, places).required, false);
  const foreign = findKey(
    { provider: "openai", model: "m", baseUrl: "https://proxy.example/v1" },
    places,
  );
  assert.deepEqual(
    [foreign.variable, foreign.foreignHost, foreign.source],
    ["OPENAI_API_KEY", "proxy.example", "the environment"],
  );
  assert.throws(() => findKey({ provider: "nobody", model: "m" }, places), ModelError);
});
