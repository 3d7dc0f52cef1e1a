// Tests mcp-servers.json on the disk: it is read after a change, and reported if it is unreadable.
import assert from "node:assert/strict";
import { ServersFile } from "../../../../../runtime/tools/mcp/servers_file/servers_file.ts";
import { age, withTempDir } from "../../../../support/temp_dir.ts";

const servers = (name: string) => JSON.stringify({ mcpServers: { [name]: { command: "true" } } });

function problemOf(file: ServersFile): string {
  const content = file.read();
  assert.ok("problem" in content, JSON.stringify(content));
  return content.problem;
}

Deno.test("ServersFile.read() parses the file again only after a change", () =>
  withTempDir(async (dir) => {
    const path = `${dir}/mcp-servers.json`;
    await Deno.writeTextFile(path, servers("one"));
    await age(path);
    const file = new ServersFile(path);
    const first = file.read();
    assert.equal(file.read(), first);
    await Deno.writeTextFile(path, servers("another"));
    await age(path);
    const second = file.read();
    assert.match(JSON.stringify(second, replacer), /another/);
    assert.doesNotMatch(JSON.stringify(second, replacer), /"one"/);
  }));

/** Converts maps to objects for JSON.stringify(). */
function replacer(_: string, value: unknown): unknown {
  return value instanceof Map ? [...value] : value;
}

Deno.test("ServersFile.read() reports the reason that the file is unusable", () =>
  withTempDir(async (dir) => {
    const path = `${dir}/mcp-servers.json`;
    const file = new ServersFile(path);
    assert.equal(problemOf(file), `MCP servers are named, but ${path} is missing`);
    await Deno.mkdir(path);
    assert.equal(problemOf(file), `${path} is not a file`);
    await Deno.remove(path);
    await Deno.writeTextFile(path, `{${" ".repeat(1024 * 1024)}}`);
    assert.equal(problemOf(file), `${path} is over 1 MB`);
    await Deno.writeFile(path, new Uint8Array([0x7b, 0xff]));
    assert.match(problemOf(file), /mcp-servers\.json:1:2: .*UTF-8/);
    await Deno.remove(path);
    await Deno.symlink("mcp-servers.json", path);
    assert.equal(problemOf(file), `${path} cannot be read: its links lead in a circle`);
    const below = `${dir}/file/mcp-servers.json`;
    await Deno.writeTextFile(`${dir}/file`, "");
    const message = problemOf(new ServersFile(below));
    assert.equal(message, `${below} cannot be read: a file stands where a folder should`);
  }));
