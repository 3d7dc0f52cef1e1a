import assert from "node:assert/strict";
import { join } from "node:path";
import { NotInstalled } from "../../../ops/install/not_installed.ts";
import type { ServerRequest } from "../../../ops/install/server_request.ts";
import { ServerInstaller } from "../../../ops/install/server_installer.ts";
import { SystemClock } from "../../../base/clock.ts";
import { createTestWorkspace } from "../../support/test_workspace.ts";

const { signal } = new AbortController();

interface Place extends AsyncDisposable {
  root: string;
  file: string;
  /** Returns the arguments of the fake npm's last call. */
  readArguments(): Promise<string>;
  installer: ServerInstaller;
  prepare(request: Partial<ServerRequest>): ReturnType<ServerInstaller["prepare"]>;
  refusal(request: Partial<ServerRequest>): Promise<string>;
}

/** Creates a workspace and a fake npm. The fake npm installs a package with a program and a dependency. */
async function openPlace(bin: unknown = { server: "dist/index.js" }): Promise<Place> {
  const place = await createTestWorkspace();
  const { root } = place;
  const programs = join(root, "bin");
  await Deno.mkdir(programs);
  const lock = JSON.stringify({
    packages: {
      "": {},
      "node_modules/@acme/server": { version: "1.2.0", integrity: "sha512-abc=" },
      "node_modules/other": { version: "3.0.0", integrity: "sha512-def=" },
    },
  });
  await Deno.writeTextFile(
    join(programs, "npm"),
    `#!/bin/sh
echo "$@" > "${root}/arguments"
for one in "$@"; do case "$one" in --prefix=*) folder=\${one#--prefix=};; esac; done
mkdir -p "$folder/node_modules/@acme/server/dist"
echo '${lock}' > "$folder/package-lock.json"
echo '${JSON.stringify({ bin })}' > "$folder/node_modules/@acme/server/package.json"
echo '{"dependencies":{"@acme/server":"1.2.0"}}' > "$folder/package.json"
echo hi > "$folder/node_modules/@acme/server/dist/index.js"
`,
  );
  const wheel = (name: string, requested: boolean) => ({
    requested,
    metadata: { name, version: "2.0.1" },
    download_info: { archive_info: { hashes: { sha256: "abc" } } },
  });
  await Deno.writeTextFile(
    join(programs, "python3"),
    `#!/bin/sh
echo "$@" > "${root}/arguments"
for one in "$@"; do case "$one" in
  --target=*) lib=\${one#--target=};; --report=*) report=\${one#--report=};; esac; done
mkdir -p "$lib/bin"
touch "$lib/bin/httpx" "$lib/bin/mcp_server_time"
echo '${
      JSON.stringify({ install: [wheel("Other", false), wheel("MCP-Server-Time", true)] })
    }' > "$report"
`,
  );
  for (const name of ["npm", "python3"]) await Deno.chmod(join(programs, name), 0o755);
  place.shell["PATH"] = `${programs}:${Deno.env.get("PATH")}`;
  const settings = await place.settings();
  const file = settings.directories.mcpServersFile;
  const installer = new ServerInstaller({
    settings,
    clock: new SystemClock(),
    cwd: root,
    version: "0.0.0",
  });
  const prepare = (request: Partial<ServerRequest>) =>
    installer.prepare(
      { name: "s", source: "npm:@acme/server", args: [], env: [], ...request },
      signal,
    );
  return {
    root,
    file,
    installer,
    readArguments: () => Deno.readTextFile(join(root, "arguments")),
    prepare,
    async refusal(request) {
      const error = await prepare(request).then(() => undefined, (thrown) => thrown);
      assert.ok(error instanceof NotInstalled, `expected NotInstalled, got ${error}`);
      const left = await Array.fromAsync(Deno.readDir(join(file, "../mcp"))).catch(() => []);
      assert.deepEqual(left, []);
      return error.message;
    },
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}

const entriesOf = async (file: string) => JSON.parse(await Deno.readTextFile(file));

Deno.test("ServerInstaller installs an npm package without running its code", async () => {
  await using at = await openPlace();
  const folder = join(at.file, "../mcp/s");
  {
    await using server = await at.prepare({});
    assert.equal(server.folder, folder);
  }
  // Disposing without add() removes the download.
  assert.deepEqual(await Array.fromAsync(Deno.readDir(join(folder, ".."))), []);
  {
    const source = "npm:@acme/server@^1";
    await using server = await at.prepare({ source, args: ["./notes", "--x"], env: ["TOKEN"] });
    const { pinned, otherPackages, entry } = server;
    const expected = { pinned: "npm:@acme/server@1.2.0 sha512-abc=", otherPackages: 1 };
    assert.deepEqual({ pinned, otherPackages }, expected);
    assert.deepEqual(entry, {
      command: "node",
      args: [
        join(folder, "node_modules/@acme/server/dist/index.js"),
        join(at.root, "notes"),
        "--x",
      ],
      env: { TOKEN: "${TOKEN}" },
    });
    await assert.rejects(Deno.stat(at.file), Deno.errors.NotFound);
    await server.add();
    assert.deepEqual(await entriesOf(at.file), { s: entry });
  }
  const given = await at.readArguments();
  assert.match(given, /^install --ignore-scripts .*--save-exact .*-- @acme\/server@\^1\n$/);
  const text = await Deno.readTextFile(join(folder, "node_modules/@acme/server/dist/index.js"));
  assert.equal(text, "hi\n");
  const left = (await Array.fromAsync(Deno.readDir(join(folder, "..")))).map(({ name }) => name);
  assert.deepEqual(left, ["s"]);
});

Deno.test("ServerInstaller installs, lists and removes wheels from PyPI", async () => {
  await using at = await openPlace();
  const folder = join(at.file, "../mcp/time");
  for (
    const [name, source] of [["s", "npm:@acme/server"], ["time", "pypi:mcp-server-time@2.0.1"]]
  ) {
    await using server = await at.prepare({
      name: name ?? "",
      source: source ?? "",
      args: ["--utc"],
    });
    await server.add();
    if (name === "s") continue;
    const { pinned, otherPackages, entry } = server;
    assert.deepEqual({ pinned, otherPackages, entry }, {
      pinned: "pypi:MCP-Server-Time@2.0.1 sha256-abc",
      otherPackages: 1,
      entry: {
        command: "python3",
        args: [join(folder, "lib/bin/mcp_server_time"), "--utc"],
        env: { PYTHONPATH: join(folder, "lib") },
      },
    });
  }
  assert.match(
    await at.readArguments(),
    /^-m pip install --only-binary=:all: .*--target=\S+\/server\/lib .*-- mcp-server-time==2\.0\.1\n$/,
  );
  const lock = await Deno.readTextFile(join(folder, "pyproject.toml"));
  assert.match(lock, /^# Other==2\.0\.1 sha256=abc$/m);
  const listed = await at.installer.list();
  assert.deepEqual(listed.map(({ name, pinned, folder }) => [name, pinned, folder !== undefined]), [
    ["s", "npm:@acme/server@1.2.0", true],
    ["time", "pypi:MCP-Server-Time@2.0.1", true],
  ]);
  // A folder that contains any other file belongs to a person and is kept.
  await Deno.writeTextFile(join(folder, "notes.txt"), "mine");
  assert.equal((await at.installer.list())[1]?.folder, undefined);
  for (const one of listed) await at.installer.remove(one);
  assert.deepEqual(await entriesOf(at.file), {});
  assert.deepEqual(await Array.fromAsync(Deno.readDir(join(folder, ".."))), []);
  await assert.rejects(at.installer.remove({ name: "s", folder: undefined }), /no server "s"/);
});

Deno.test("ServerInstaller lists servers without the secrets of their entries", async () => {
  await using at = await openPlace();
  await Deno.mkdir(join(at.file, ".."), { recursive: true });
  const args = ["--token", "token-in-args", "--key", "${KEY}", "postgres://me:pass-in-url@db/x"];
  const remote = { url: "https://x.example/mcp?api_key=key-in-url" };
  await Deno.writeTextFile(at.file, JSON.stringify({ local: { command: "run", args }, remote }));
  assert.deepEqual((await at.installer.list()).map(({ runs }) => runs), [
    "run --token [redacted:token] --key ${KEY} postgres://me:[redacted:password]@db/x",
    "https://x.example/mcp?api_key=[redacted:api_key]",
  ]);
});

Deno.test("ServerInstaller adds programs and addresses with variables instead of values", async () => {
  await using at = await openPlace();
  await Deno.mkdir(join(at.file, ".."), { recursive: true });
  const before = '{\n  "mcpServers": {\n    "old": { "command": "x" }\n  }\n}\n';
  await Deno.writeTextFile(at.file, before);
  {
    await using server = await at.prepare({ source: "./run.sh", args: ["a b"] });
    await server.add();
  }
  {
    const source = "https://example.com/mcp";
    await using server = await at.prepare({ name: "web", source, token: "T" });
    await server.add();
  }
  const text = await Deno.readTextFile(at.file);
  assert.ok(text.startsWith(before.slice(0, before.indexOf(" }\n") + 2)));
  assert.deepEqual(JSON.parse(text).mcpServers, {
    old: { command: "x" },
    s: { command: join(at.root, "run.sh"), args: ["a b"] },
    web: { url: "https://example.com/mcp", headers: { Authorization: "Bearer ${T}" } },
  });
  assert.match(await at.refusal({ name: "old" }), /^The server "old" is already in /);
  await Deno.writeTextFile(at.file, '{"servers": {"a": 1}, "servers": {}}');
  assert.match(await at.refusal({}), /cannot be edited safely: change s by hand/);
  await Deno.writeTextFile(at.file, "{ mine\n}");
  assert.match(await at.refusal({}), /The file is not valid JSON/);
});

Deno.test("ServerInstaller refuses invalid entries, and packages without a program", async () => {
  await using at = await openPlace({ server: "../../../../../bin/sh" });
  for (const name of ["..", "a/b", "", ".x", "-x", "a b", "__proto__"]) {
    assert.match(await at.refusal({ name }), /^The name of a server must be letters/, name);
  }
  for (const source of ["npm:../x", "pypi:../x", "pypi:https://example.com/a.whl", "pypi:-r"]) {
    assert.match(await at.refusal({ source }), /names no package/);
  }
  assert.match(
    await at.refusal({ source: "https://me:x@example.com/" }),
    /contains a user or a password/,
  );
  assert.match(
    await at.refusal({ source: "https://example.com/", args: ["x"] }),
    /takes no arguments/,
  );
  assert.match(await at.refusal({ env: ["sk-123"] }), /given by its name/);
  assert.match(await at.refusal({ token: "T" }), /--token is for a server at an address/);
  assert.match(await at.refusal({ source: " " }), /The program has no name/);
  assert.match(await at.refusal({}), /^The package @acme\/server has no program to start$/);
});
