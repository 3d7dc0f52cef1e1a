import assert from "node:assert/strict";
import { ConfigError } from "../../../runtime/config/parse_config.ts";
import { ChoicesRefused, chooseConfig } from "../../../runtime/setup/chosen_config.ts";
import { withTempDir } from "../../support/temp_dir.ts";

Deno.test("chooseConfig() merges into what is there, and writes nothing", () =>
  withTempDir(async (dir) => {
    const from = { path: `${dir}/config.yaml`, home: dir, cwd: `${dir}/here` };
    const fresh = await chooseConfig({ workspace: "notes" }, from);
    assert.equal(fresh.config.workspace, `${dir}/here/notes`);
    await Deno.writeTextFile(from.path, "agents_dir: team # since today\n");
    const { text, config } = await chooseConfig({ limits: { max_tool_calls: "none" } }, from);
    assert.match(text, /^agents_dir: team # since today\n/);
    assert.deepEqual([config.agentsDir, config.defaults.maxToolCalls], ["team", null]);
    assert.equal(await Deno.readTextFile(from.path), "agents_dir: team # since today\n");
  }));

Deno.test("chooseConfig() tells choices that the file may not hold from a file that is broken already", () =>
  withTempDir(async (dir) => {
    const from = { path: `${dir}/config.yaml`, home: dir, cwd: dir };
    await assert.rejects(chooseConfig({ limits: { temperature: "warm" } }, from), ChoicesRefused);
    await Deno.writeTextFile(from.path, "defaults: {temperature: warm}\n");
    await assert.rejects(chooseConfig({ limits: { temperature: "1" } }, from), ConfigError);
  }));
