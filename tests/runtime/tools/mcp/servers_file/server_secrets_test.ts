// Tests that the secrets of mcp-servers.json are returned with all others, from the current file and variables.
import assert from "node:assert/strict";
import { withServerSecrets } from "../../../../../runtime/tools/mcp/servers_file/server_secrets.ts";
import { age, withTempDir } from "../../../../support/temp_dir.ts";

Deno.test("withServerSecrets() returns the file's current secrets, or the previous if it is broken", () =>
  withTempDir(async (dir) => {
    const path = `${dir}/mcp-servers.json`;
    const variables = new Map([["MINE", "value-of-mine"]]);
    const others = [{ name: "LONG_KEY", value: "a-longer-secret-of-the-environment" }];
    const secrets = withServerSecrets(() => others, {
      path,
      lookup: (name) => variables.get(name),
    });
    const values = () => secrets().map(({ value }) => value);
    const write = async (text: string) => {
      await Deno.writeTextFile(path, text);
      await age(path);
    };
    assert.equal(secrets(), others);

    const web = { url: "https://x/", headers: { Authorization: "Bearer ${MINE}" } };
    const files = { command: "x", env: { A_TOKEN: "literal-token" } };
    await write(JSON.stringify({ servers: { web, files } }));
    assert.deepEqual(values(), [
      "a-longer-secret-of-the-environment",
      "Bearer value-of-mine",
      "value-of-mine",
      "literal-token",
    ]);
    variables.set("MINE", "another-value");
    assert.ok(values().includes("Bearer another-value"));
    assert.ok(!values().includes("value-of-mine"));

    await write('{ "files": { "env": ');
    assert.ok(values().includes("literal-token"));
    await Deno.remove(path);
    assert.ok(values().includes("literal-token"));
    await write("{}");
    assert.deepEqual(values(), ["a-longer-secret-of-the-environment"]);
    await write('[{ "env": { "A_TOKEN": "in-no-server-at-all" } }, null]');
    assert.deepEqual(values(), ["a-longer-secret-of-the-environment"]);
  }));
