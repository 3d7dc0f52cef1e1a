// Tests that Deno refuses an agent's forbidden calls even without Inkling's own checks.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PERMISSION_FLAGS } from "../../../cli/self_command.ts";
import { createRealHome, type RealHome } from "../real_process.ts";

const MISSING_FLAG = /Inkling was started without --allow-(read|write) for it/;

interface Call {
  name: string;
  arguments: Record<string, unknown>;
}

/** Returns the flags that `inkling permissions` prints for this home. */
async function flagsOf(home: RealHome): Promise<string[]> {
  const { stdout } = await home.succeed("permissions", "--json");
  const { flags, command } = JSON.parse(stdout) as { flags: { flag: string }[]; command: string[] };
  assert.deepEqual(await home.command(["start"]), command, "all tests start the service like this");
  return flags.map(({ flag }) => flag);
}

/** Runs the calls without Inkling's checks in a process with these flags. Returns the results. */
async function callWithoutOurWall(home: RealHome, flags: string[], calls: Call[]) {
  const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-check",
      "--config",
      here("../../deno.json"),
      ...flags,
      here("open_sandbox.ts"),
    ],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(
    new TextEncoder().encode(JSON.stringify({ workspace: home.workspace, calls })),
  );
  await writer.close();
  const { stdout, stderr } = await child.output();
  const text = new TextDecoder();
  const lines = text.decode(stdout).trim().split("\n");
  assert.equal(lines.length, calls.length, text.decode(stderr));
  return lines.map((line) => JSON.parse(line) as { result?: string; error?: string });
}

Deno.test("without the sandbox, Deno refuses an agent's access outside its paths", async () => {
  await using home = await createRealHome();
  const outside = join(home.root, "outside");
  await Deno.mkdir(outside);
  const secret = join(outside, "secret.txt");
  await Deno.writeTextFile(secret, "CANARY");
  await Deno.mkdir(join(home.workspace, "notes"));
  await Deno.writeTextFile(join(home.workspace, "notes", "a.md"), "allowed");
  const tools = join(home.agentsDir, "_config", "tools");
  await Deno.mkdir(tools, { recursive: true });
  const calls: Call[] = [
    { name: "file_read", arguments: { path: secret } },
    { name: "file_read", arguments: { path: "../outside/secret.txt" } },
    { name: "file_read", arguments: { path: "/etc/hostname" } },
    { name: "file_write", arguments: { path: join(outside, "new.txt"), content: "x" } },
    { name: "file_edit", arguments: { path: secret, old_text: "CANARY", new_text: "x" } },
    { name: "file_delete", arguments: { path: secret } },
    { name: "file_move", arguments: { source: secret, destination: "notes/mine.txt" } },
    { name: "file_glob", arguments: { pattern: `${outside}/*` } },
    { name: "file_search", arguments: { pattern: "CANARY", path: outside } },
  ];

  const flags = await flagsOf(home);
  const answers = await callWithoutOurWall(home, flags, [
    ...calls,
    { name: "file_write", arguments: { path: join(tools, "evil.ts"), content: "x" } },
    { name: "http_request", arguments: { url: "http://elsewhere.test/" } },
    { name: "file_read", arguments: { path: "notes/a.md" } },
  ]);
  for (const [i, call] of calls.entries()) {
    const { result, error } = answers[i] ?? {};
    const shown = `${JSON.stringify(call)}: ${result ?? error}`;
    assert.doesNotMatch(shown, /CANARY.*CANARY/, shown);
    // Lists and searches find nothing; all other calls name the missing permission.
    if (/glob|search/.test(call.name)) assert.doesNotMatch(result ?? "", /secret/, shown);
    else assert.match(error ?? "", MISSING_FLAG, shown);
  }
  assert.equal(await Deno.readTextFile(secret), "CANARY");
  assert.deepEqual([...Deno.readDirSync(outside)].map(({ name }) => name), ["secret.txt"]);
  const [planted, elsewhere, inside] = answers.slice(calls.length);
  assert.match(planted?.error ?? "", /started without --allow-write for it/);
  assert.match(elsewhere?.error ?? "", /started without --allow-net=elsewhere\.test/);
  assert.deepEqual([...Deno.readDirSync(tools)], []);

  // The counter-check: the flags permit the allowed calls.
  assert.match(inside?.result ?? "", /allowed/);
  await assertNothingEscapes(home, flags);
});

/** Loads a module with the widest flags of Inkling and an empty lock file, and returns the output. */
async function loadWidely(home: RealHome, url: string, flags: readonly string[], registry = "") {
  await Deno.writeTextFile(join(home.root, "deno.json"), "{}");
  await Deno.writeTextFile(join(home.root, "deno.lock"), '{ "version": "5" }');
  const script = join(home.root, "load.ts");
  await Deno.writeTextFile(
    script,
    "await import(Deno.args[0]).catch(({ message }) => console.log(message))",
  );
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "--config", join(home.root, "deno.json"), ...flags, script, url],
    env: { DENO_DIR: join(home.root, "cache"), NPM_CONFIG_REGISTRY: registry, NO_COLOR: "1" },
    stdin: "null",
    stderr: "null",
  }).output();
  return new TextDecoder().decode(stdout);
}

Deno.test("the widest flags load no remote code and no package outside deno.lock", async () => {
  await using home = await createRealHome();
  const url = "https://deno.land/std/version.ts";
  assert.match(await loadWidely(home, url, PERMISSION_FLAGS), /deno\.land.*--no-remote/);
  const asked: string[] = [];
  await using registry = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    (request) => {
      const { pathname, origin } = new URL(request.url);
      asked.push(pathname);
      if (pathname !== "/planted") return new Response(null, { status: 404 });
      const dist = { tarball: `${origin}/planted.tgz`, integrity: `sha512-${"A".repeat(86)}==` };
      const planted = { name: "planted", version: "1.0.0", dist };
      return Response.json({
        name: "planted",
        "dist-tags": { latest: "1.0.0" },
        versions: { "1.0.0": planted },
      });
    },
  );
  const address = `http://127.0.0.1:${registry.addr.port}/`;
  const load = (flags: readonly string[]) => loadWidely(home, "npm:planted@1.0.0", flags, address);
  assert.match(await load(PERMISSION_FLAGS), /lockfile is out of date/);
  assert.deepEqual(asked, ["/planted"]);
  // Checks that --frozen causes the refusal: without it, the package loads.
  await load(PERMISSION_FLAGS.filter((flag) => flag !== "--frozen"));
  assert.ok(asked.includes("/planted.tgz"), asked.join(" "));
});

/** Checks that scoped flags refuse a dependency's programs, variables, libraries, links and remote code. */
async function assertNothingEscapes(home: RealHome, flags: readonly string[]): Promise<void> {
  const script = join(home.root, "escape.ts");
  await Deno.writeTextFile(
    script,
    `for (const escape of [
       () => new Deno.Command("cat", { args: ["/etc/hostname"] }).outputSync(),
       () => Deno.env.get("SECRET_TOKEN") ?? (() => { throw new Error("unset") })(),
       () => Deno.dlopen("/lib/x.so", {}),
       () => Deno.symlinkSync("/etc", ${JSON.stringify(join(home.workspace, "link"))}),
       () => import("https://" + "deno.land/std/version.ts"),
     ]) {
       try { await escape(); console.log("done"); } catch (error) { console.log(String(error)); }
     }`,
  );
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "--no-config", ...flags, script],
    env: { SECRET_TOKEN: "sesame-12345678" },
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).output();
  const lines = new TextDecoder().decode(stdout).trim().split("\n");
  const expected = [
    /^NotCapable: Requires run access/,
    /^Error: unset$/,
    /^NotCapable: Requires ffi access/,
    /^NotCapable: /,
    // Deno would load code from this host, because its defaults trust the host.
    /^TypeError: .*--no-remote/,
  ];
  assert.equal(lines.length, expected.length, lines.join("\n"));
  for (const [i, pattern] of expected.entries()) assert.match(lines[i] ?? "", pattern);
}
