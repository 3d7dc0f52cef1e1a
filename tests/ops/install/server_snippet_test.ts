import assert from "node:assert/strict";
import fc from "fast-check";
import { NotInstalled } from "../../../ops/install/not_installed.ts";
import { findSnippet } from "../../../ops/install/server_snippet.ts";

const one = (text: string) => {
  const servers = findSnippet({ name: text });
  assert.equal(servers?.length, 1, text);
  const { name, entry } = servers?.[0] ?? {};
  return { name, entry };
};

Deno.test("findSnippet() reads the JSON of every client", () => {
  const entry = { command: "npx", args: ["-y", "@acme/server-files"] };
  const wanted = { name: "files", entry };
  const json = JSON.stringify(entry);
  for (
    const text of [
      `{"mcpServers": {"files": ${json}}}`,
      `{"servers": {"files": ${json}}, "inputs": []}`,
      `{"context_servers": {"files": ${json}}}`,
      `{"mcp": {"servers": {"files": ${json}}}}`,
      `{"mcp": {"files": {"type": "local", "command": ["npx", "-y", "@acme/server-files"]}}}`,
      `{"files": ${json}}`,
      `"files": ${json},`,
      `{"name": "files", ${json.slice(1)}`,
      json,
      `{"context_servers": {"files": {"command": {"path": "npx", "args": ["-y", "@acme/server-files"]}}}}`,
      `{ // the server\n "mcpServers": { "files": ${json}, }, }`,
    ]
  ) {
    const { type: _type, ...found } = one(text).entry ?? {};
    assert.deepEqual({ name: one(text).name, entry: found }, wanted, text);
  }
  const both = findSnippet({
    name: `{"mcpServers": {"a": ${json}, "b": {"url": "https://x.test"}}}`,
  });
  assert.deepEqual(both?.map(({ name }) => name), ["a", "b"]);
});

Deno.test("findSnippet() reads command lines and addresses, and names the server", () => {
  const named: [text: string, name: string][] = [
    ["npx -y @modelcontextprotocol/server-filesystem@2025.1.0 /notes", "filesystem"],
    ["npx @playwright/mcp@latest", "playwright"],
    ["bunx exa-mcp-server", "exa"],
    ["pnpm dlx tavily-mcp", "tavily"],
    ["uvx mcp-server-git --repository /r", "git"],
    ["uvx --from git+https://example.test/x.git some-tool", "some-tool"],
    ["docker run -i --rm -e GITHUB_TOKEN ghcr.io/acme/github-mcp-server:1.2", "github"],
    ["https://mcp.notion.com/mcp", "notion"],
    ["https://api.acme.test/mcp", "acme"],
    ["https://docs.acme.test/mcp", "docs"],
    ["node server.js", "node"],
  ];
  for (const [text, name] of named) assert.equal(one(text).name, name, text);
  assert.deepEqual(one(`A_KEY=x env B="y z" npx -y 'a b' "c\\"d" e\\ f`).entry, {
    command: "npx",
    args: ["-y", "a b", 'c"d', "e f"],
    env: { A_KEY: "x", B: "y z" },
  });
  assert.deepEqual(one("docker run -i -e TOKEN -e MODE=fast --env=KEY image").entry, {
    command: "docker",
    args: ["run", "-i", "-e", "TOKEN", "-e", "MODE=fast", "--env=KEY", "image"],
    env: { TOKEN: "${TOKEN}", KEY: "${KEY}" },
    sandbox: false,
  });
  const { entry } = findSnippet({ name: "mine", source: "npx -y x" })?.[0] ?? {};
  assert.deepEqual(entry, { command: "npx", args: ["-y", "x"] });
  const keyed = findSnippet({ name: "mine", source: "npx -y x --key=<YOUR_API_KEY>" })?.[0];
  assert.deepEqual(keyed?.entry["args"], ["-y", "x", "--key=${MINE_TOKEN}"]);
  for (const source of ["/opt/my server/run", "./run me", "npm:x", "/opt/run", "node"]) {
    assert.equal(findSnippet({ name: "mine", source }), undefined, source);
  }
});

Deno.test("findSnippet() replaces placeholders of keys, and leaves out what frees a server", () => {
  const written = {
    url: "https://x.test/mcp",
    headers: { Authorization: "Bearer YOUR_API_KEY", "X-Mode": "fast" },
    auto_approve: ["*"],
    sandbox: false,
  };
  const [server] = findSnippet({ name: JSON.stringify({ "x y": written }) }) ?? [];
  assert.deepEqual(server, {
    name: "x-y",
    entry: {
      url: written.url,
      headers: { Authorization: "Bearer ${X_Y_TOKEN}", "X-Mode": "fast" },
    },
    leftOut: ["auto_approve", "sandbox"],
  });
  const env = { A_KEY: "<your key>", B_KEY: "", C_KEY: "sk-...", D_KEY: "real-value", MODE: "a" };
  const args = ["--token=<YOUR_API_TOKEN>", "<folder>"];
  const local = one(JSON.stringify({ command: "npx", args, env })).entry;
  assert.deepEqual(local?.["env"], {
    A_KEY: "${A_KEY}",
    B_KEY: "${B_KEY}",
    C_KEY: "${C_KEY}",
    D_KEY: "real-value",
    MODE: "a",
  });
  assert.deepEqual(local?.["args"], ["--token=${FOLDER_TOKEN}", "<folder>"]);
});

Deno.test("findSnippet() refuses other texts, and no message contains the text", () => {
  for (const text of ['{"secret-value"', '{"a": 1}', '{"mcpServers": {}}', "A=b C=d"]) {
    assert.throws(
      () => findSnippet({ name: text }),
      (error: unknown) => error instanceof NotInstalled && !error.message.includes("secret-value"),
    );
  }
  const several = '{"a": {"command": "x"}, "b": {"command": "y"}}';
  assert.throws(() => findSnippet({ name: "one", source: several }), /several servers/);
  const parts = fc.constantFrom(
    '"',
    "'",
    "\\",
    "{",
    "}",
    "npx",
    " ",
    "=",
    "<",
    "docker run -e",
    "\n",
    "https://",
    "mcp",
  );
  fc.assert(fc.property(fc.array(parts), (words) => {
    try {
      for (const { name } of findSnippet({ name: words.join("") }) ?? []) {
        assert.match(name, /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/);
      }
    } catch (error) {
      assert.ok(error instanceof NotInstalled, String(error));
    }
  }));
});
