// Tests MCP servers in the system's sandbox, and the field `sandbox` of their entries.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { resolveSandbox } from "../../../runtime/tools/mcp/servers_file/declared_sandbox.ts";
import { openMcpWorld, programEntry } from "../tools/mcp/mcp_world.ts";
import type { SandboxMode } from "../../../runtime/sandbox/sandbox_rules.ts";
import { ProcessSandbox } from "../../../runtime/sandbox/process_sandbox.ts";
import { SHELL_SERVER } from "./shell_server.ts";
import { IGNORED_WITHOUT_BRIDGE, IGNORED_WITHOUT_SANDBOX } from "./system_sandbox.ts";
import { systemBubblewrap, systemSandbox } from "./system_sandbox.ts";

const testUnless = (ignore: boolean) => (name: string, fn: () => Promise<void>) =>
  Deno.test({ name, ignore, fn });
const test = testUnless(IGNORED_WITHOUT_SANDBOX);
const bridgeTest = testUnless(IGNORED_WITHOUT_BRIDGE);

async function look(
  script: (dirs: { base: string; workspace: string }) => string,
  sandbox?: unknown,
  mode?: SandboxMode,
): Promise<{ text: string; base: string; workspace: string; own: string }> {
  const world = await openMcpWorld({ sandbox: systemSandbox("/nonexistent", mode) });
  await using _world = world;
  const base = dirname(world.workspace);
  const env = { SCRIPT: script({ base, workspace: world.workspace }) };
  const args = ["-c", SHELL_SERVER];
  const entry = { command: "sh", args, env, ...(sandbox === undefined ? {} : { sandbox }) };
  await Deno.writeTextFile(join(base, "foreign.txt"), "FOREIGN");
  await Deno.mkdir(join(base, "named"));
  await Deno.writeTextFile(join(base, "named/a.txt"), "named");
  await Deno.writeTextFile(join(world.workspace, ".env"), "KEY");
  await Deno.writeTextFile(join(world.workspace, "open.txt"), "open");
  await world.define({ shell: JSON.parse(JSON.stringify(entry).replaceAll("BASE", base)) });
  const [tool] = (await world.tools(["shell"])).values();
  const text = await world.call(tool);
  return { text, base, workspace: world.workspace, own: join(world.stateDir, "mcp/shell") };
}

test("a sandboxed MCP server reaches only the agents' paths and its folder", async () => {
  const { text, own } = await look(({ base, workspace }) =>
    `pwd; cat ${workspace}/open.txt ${workspace}/.env ${base}/foreign.txt; echo kept > $HOME/kept; ` +
    `echo x > ${workspace}/made && echo wrote; grep -c : /proc/net/dev`
  );
  assert.match(text, new RegExp(`^${own};open`));
  assert.match(text, /wrote;1;$/);
  assert.doesNotMatch(text, /KEY|FOREIGN/);
});

test("an entry's `read` and `write` replace the agents' paths", async () => {
  const { text } = await look(
    ({ base, workspace }) =>
      `cat ${base}/named/a.txt; echo x > ${base}/named/b || echo refused; cat ${workspace}/open.txt`,
    { read: ["BASE/named"], write: [] },
  );
  assert.match(text, /^named.*Read-only file system;refused;.*No such file/);
});

test("an entry with `sandbox: false` runs its program without a sandbox", async () => {
  const read = ({ base }: { base: string }) => `cat ${base}/foreign.txt`;
  const { text } = await look(read, false, "preferred");
  assert.equal(text, "FOREIGN");
  await assert.rejects(look(read, false), /"sandbox": false.*sandbox: required/);
});

/** A shell function that requests an address through the sandbox's proxy, like an HTTP client. */
const ASK = `ask() {
  password=$(printf %s "$HTTP_PROXY" | sed "s|http://\\(.*\\)@.*|\\1|" | base64 -w0)
  printf "GET %s HTTP/1.1\\r\\nProxy-Authorization: Basic %s\\r\\n\\r\\n" "$1" "$password" |
    socat -t5 - TCP:127.0.0.1:\${HTTP_PROXY##*:}
}`;

bridgeTest(
  "a sandboxed MCP server reaches its entry's hosts; calls report refused hosts",
  async () => {
    await using server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {} },
      () => new Response("reached"),
    );
    const here = `http://localhost:${server.addr.port}`;
    const script = `${ASK}; ask ${here}/; ask http://other.example:81/; ` +
      `socat - TCP:127.0.0.1:${server.addr.port} </dev/null && echo around; env | grep -c -i ^[a-z]*_proxy=http`;
    const { text } = await look(() => script, { net: ["localhost"] });
    assert.match(text, /^HTTP\/1\.1 200 .*;reached.*HTTP\/1\.1 403 /);
    assert.match(text, /Connection refused/);
    assert.doesNotMatch(text, /around/);
    const expected =
      /refused the MCP server "shell" access to other\.example:81\..*"sandbox": \{ "net": \["localhost","other\.example:81"\] \}$/;
    assert.match(text, expected);
    assert.match(text, /refused;6;\n/);
  },
);

bridgeTest(
  "an entry with the host `*` gives its program the machine's network",
  async () => {
    await using server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {} },
      () => new Response("reached"),
    );
    const request = "GET / HTTP/1.0\\r\\n\\r\\n";
    const script =
      `printf "${request}" | socat -t5 - TCP:127.0.0.1:${server.addr.port}; echo "$HTTP_PROXY"`;
    const { text } = await look(() => script, { net: ["*"] });
    assert.match(text, /;reached;$/);
  },
);

test("without socat, a required sandbox refuses programs with hosts, a preferred one warns", async () => {
  const told: string[] = [];
  const open = async (mode: SandboxMode) => {
    const { bridge: _, ...bubblewrap } = systemBubblewrap();
    const sandbox = new ProcessSandbox({
      mode: () => mode,
      home: "/nonexistent",
      find: () => Promise.resolve({ bubblewrap }),
      onMissing: (sentence) => told.push(sentence),
    });
    await using world = await openMcpWorld({ sandbox });
    const entry = { command: "sh", args: ["-c", SHELL_SERVER], sandbox: { net: ["a.example"] } };
    await world.define({ shell: entry });
    return (await world.tools(["shell"])).size;
  };
  assert.equal(await open("preferred"), 1);
  const expected =
    /^MCP servers with network access can reach every host: socat is not installed\. .*install socat/;
  assert.match(told.join(), expected);
  await assert.rejects(open("required"), /sandbox: required.*socat is not installed/);
});

test("a sandboxed MCP server reads the package of the file in its command line", async () => {
  await using world = await openMcpWorld({ sandbox: systemSandbox("/nonexistent") });
  // The program needs the started file, the modules that it imports, and the cache that a variable names.
  const { command, args, env } = programEntry();
  await world.define({ fixture: { command, args, env } });
  assert.ok((await world.tools(["fixture"])).size > 0);
  const folder = join(dirname(world.workspace), "package/dist");
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(join(folder, "../package.json"), "{}");
  await Deno.writeTextFile(join(folder, "../lib.sh"), SHELL_SERVER);
  await Deno.writeTextFile(join(folder, "server.sh"), `. "$(dirname "$0")/../lib.sh"`);
  await world.define({ packaged: { command: "sh", args: [join(folder, "server.sh")] } });
  assert.equal((await world.tools(["packaged"])).size, 1);
});

test("the sandbox reports a missing command and a missing folder", async () => {
  await using world = await openMcpWorld({ sandbox: systemSandbox("/nonexistent") });
  await world.define({ one: { command: "no-such-program" }, two: { command: "sh", cwd: "gone" } });
  await assert.rejects(world.tools(["one"]), /no-such-program does not exist \(looked for in PATH/);
  await assert.rejects(world.tools(["two"]), /its folder .*gone does not exist/);
});

Deno.test("no MCP server starts without a required sandbox", async () => {
  const sandbox = new ProcessSandbox({
    mode: () => "required",
    home: "/",
    find: () => Promise.resolve({ problem: "there is none", remedy: "make one" }),
  });
  await using world = await openMcpWorld({ sandbox });
  await world.define({ one: { command: "sh" } });
  const refusal = { name: "ToolsUnavailable", message: /sandbox: required.*there is none/ };
  await assert.rejects(world.tools(["one"]), refusal);
});

Deno.test("resolveSandbox() without `net` allows the hosts of the program's URLs and package registry", () => {
  const context = { fill: (text: string) => text, workspace: "/w", home: "/h", agentPaths: ["/w"] };
  const program = { command: "/usr/bin/npx", values: ["-y", "--api=https://api.example:8443/v1"] };
  const expected = { read: [], write: ["/w"], net: ["registry.npmjs.org", "api.example:8443"] };
  assert.deepEqual(resolveSandbox(undefined, program, context), expected);
  const declared = { read: ["~/a", "b"], write: ["/c"], net: ["x.example"], env: [] };
  const wanted = { read: ["/h/a", "/w/b"], write: ["/c"], net: ["x.example"] };
  assert.deepEqual(resolveSandbox(declared, program, context), wanted);
  assert.equal(resolveSandbox(false, program, context), null);
});
