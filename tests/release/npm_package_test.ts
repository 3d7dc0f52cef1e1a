// Tests of the installed npm package, with an empty home, an empty cache and no registry. Some tests run its program like
// an executable.
import assert from "node:assert/strict";
import { join } from "node:path";
import { PERMISSION_FLAGS } from "../../cli/self_command.ts";
import { SERVICE_VARIABLES } from "../../cli/service/service_environment.ts";
import { copyTree } from "../../release/folder.ts";
import { shippedPackages, writeLicenseList } from "../../release/licenses/license_list.ts";
import { writeSbom } from "../../release/licenses/sbom.ts";
import { DENO_VERSION, LICENSE_LIST, SBOM, VERSION } from "../../release/product.ts";
import { toNpmPackage, TOOL_TYPES } from "../../release/npm_package.ts";
import { PDF } from "../runtime/tools/custom/pdf_file.ts";
import { filesBelow, REPOSITORY } from "../support/repository.ts";
import { createTempDir } from "../support/temp_dir.ts";
import { InstalledPackage } from "./installed_package.ts";

/** A program that replaces Deno: it prints its arguments, or does what the last argument says. */
const FAKE_DENO = `#!/bin/sh
for argument; do last=$argument; done
case $last in
  exit-*) exit "\${last#exit-}" ;;
  die) kill -KILL $$ ;;
  wait)
    trap 'echo got INT; exit 130' INT
    trap 'echo got TERM; exit 143' TERM
    trap 'echo got HUP; exit 129' HUP
    echo ready
    while :; do sleep 0.05; done ;;
  *) printf '%s\\n' "$DENO_NO_UPDATE_CHECK" "$MALLOC_ARENA_MAX" "$MALLOC_TRIM_THRESHOLD_" "$DENO_V8_FLAGS" "$@" ;;
esac
`;

/** A custom tool that adds two numbers. It also reports if it may read the environment and start programs. */
const ADDER = `
const sum = ({ a, b }: { a: number; b: number }): number => a + b;
const tryTo = (what: () => unknown): string => {
  try { what(); return "allowed" } catch { return "denied" }
};
export default {
  description: "Adds",
  effect: "read",
  parameters: { properties: { a: { type: "number" }, b: { type: "number" } } },
  run: (args: { a: number; b: number }) => ({
    sum: sum(args),
    env: tryTo(() => Deno.env.get("HOME")),
    run: tryTo(() => new Deno.Command("true").outputSync()),
  }),
};`;

let installed: InstalledPackage;
let directory: string;
let bin: string[];
let home: InstalledPackage["home"];

// All tests share one package, because packing takes seconds. Each test leaves the package unchanged.
Deno.test.beforeAll(async () => {
  installed = await InstalledPackage.open();
  ({ directory, bin, home } = installed);
});
// The package is undefined if packing failed; that failure is reported.
Deno.test.afterAll(() => installed?.[Symbol.asyncDispose]());

Deno.test("the npm package: its package.json depends only on Deno", async () => {
  const { dependencies, files, ...rest } = JSON.parse(
    await Deno.readTextFile(join(directory, "package.json")),
  );
  assert.equal(rest.version, VERSION);
  assert.deepEqual(rest.bin, { inkling: "bin/inkling" });
  assert.deepEqual(dependencies, { deno: DENO_VERSION });
  assert.ok(
    ["main.js", "modules", "THIRD_PARTY_LICENSES.txt"].every((one) => files.includes(one)),
  );
  const examples = join(directory, "examples");
  const sources = filesBelow(directory)
    .filter((file) => /\.tsx?$/.test(file) && !file.startsWith(examples));
  assert.deepEqual(sources, [join(directory, TOOL_TYPES)]);
});

Deno.test("the npm package: its bin starts in a folder with any content", async () => {
  await Deno.writeTextFile(join(home.root, "deno.json"), "{ broken");
  await Deno.writeTextFile(join(home.root, "package.json"), '{ "name": "x", "workspaces": 1 }');
  assert.deepEqual(await installed.run([...bin, "--version"]), {
    code: 0,
    stdout: `${VERSION}\n`,
    stderr: "",
  });
});

Deno.test("the npm package: its modules are ASCII, which V8 stores in half the memory", async () => {
  const modules = filesBelow(directory).filter((file) => /(main|modules\/[^/]+)\.js$/.test(file));
  assert.ok(modules.length > 100, `${modules.length} modules`);
  for (const file of modules) {
    const [other] = /\P{ASCII}+/u.exec(await Deno.readTextFile(file)) ?? [];
    assert.equal(other, undefined, file);
  }
});

Deno.test("the npm package: its modules load synchronously, and errors name their sources", async () => {
  const modules = filesBelow(directory).filter((file) =>
    file.endsWith(".js") && !/\/((host_)?main|[^/]*_worker)\.js$/.test(file)
  );
  assert.ok(modules.length > 100, `${modules.length} modules`);
  const script = join(directory, "load_all.js");
  // Node's require() refuses a module with top-level await, so the test loads every module with it.
  await Deno.writeTextFile(
    script,
    `import { createRequire } from "node:module";
     const require = createRequire(import.meta.url);
     for (const one of ${JSON.stringify(modules)}) require(one);
     for (const one of Object.values(await import("./modules/command.js"))) {
       try { await one(); } catch (error) { console.log(error?.stack); }
     }\n`,
  );
  const config = ["--config", join(directory, "deno.json")];
  const command = [Deno.execPath(), "run", ...config, ...PERMISSION_FLAGS, script];
  const { code, stdout, stderr } = await installed.run(command);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, / \(inkling:cli\/[\w/]+\.ts:\d+:\d+\)$/m);
  await Deno.remove(script);
});

Deno.test("the npm package: THIRD_PARTY_LICENSES.txt and the SBOM match the included packages", async () => {
  const packages = await shippedPackages(installed.stage);
  assert.equal(
    await Deno.readTextFile(join(directory, LICENSE_LIST)),
    await writeLicenseList({ files: installed.stage.files, packages }),
  );
  assert.equal(await Deno.readTextFile(join(REPOSITORY, SBOM)), await writeSbom(packages));
});

Deno.test("the npm package: a SIGTERM to npm's process stops a service gracefully", async () => {
  await using service = installed.spawn([...bin, "start"]);
  const said = service.stdout.pipeThrough(new TextDecoderStream()).getReader();
  // The service is ready when it prints its first line.
  assert.notEqual((await said.read()).value ?? "", "");
  service.kill("SIGTERM");
  while (!(await said.read()).done) { /* Reads to the end. */ }
  assert.equal(await new Response(service.stderr).text(), "");
  assert.equal((await service.status).code, 0);
  await assert.rejects(Deno.lstat(join(home.stateDir, "service.sock")), Deno.errors.NotFound);
});

// release/try_executable.sh tests a real executable more thoroughly.
Deno.test("the npm package: an executable starts itself by its own path", async () => {
  await Deno.mkdir(join(home.agentsDir, "_config/tools"), { recursive: true });
  await Deno.writeTextFile(join(home.agentsDir, "_config/tools/adder.ts"), ADDER);
  await Deno.writeFile(join(home.workspace, "a.pdf"), PDF);
  const steps = [
    { call: [{ name: "file_read", arguments: { path: "a.pdf", offset: 4 } }] },
    { say: "Read: {result}", call: [{ name: "adder", arguments: { a: 2, b: 3 } }] },
    { say: "It said: {result}" },
  ];
  await home.writeScript("caller", steps, "tools: [adder]");
  // The program must not run files that other users have put into the temporary folder.
  const temporary = join(home.root, "tmp");
  const planted = join(home.root, "planted");
  for (const name of ["bufferutil", "utf-8-validate", "supports-color", "undici"]) {
    const folder = join(temporary, "node_modules", name);
    await Deno.mkdir(folder, { recursive: true });
    const code = `require("fs").writeFileSync(${JSON.stringify(planted)}, "");`;
    await Deno.writeTextFile(join(folder, "index.js"), code);
  }
  // The sandbox is off, because it would not contain the program's files.
  const config = `workspace: ${home.workspace}\nsandbox: off\n`;
  await Deno.writeTextFile(join(home.configDir, "config.yaml"), config);
  const program = ["env", `TMPDIR=${temporary}`, await installed.writeExecutable()];
  const run = await installed.run([...program, "run", "caller"]);
  assert.match(run.stderr, /^Read: 4\s+Packed words$/m);
  assert.equal(run.stdout, 'It said: {"sum":5,"env":"denied","run":"denied"}\n');
  assert.equal(run.code, 0);
  const stop = await installed.run([...program, "stop"]);
  assert.equal(stop.code, 0, stop.stderr);
  await assert.rejects(Deno.stat(planted), Deno.errors.NotFound);
});

Deno.test("the npm package: its README links only to included docs", async () => {
  const packageJson = async () =>
    JSON.parse(await Deno.readTextFile(join(directory, "package.json")));
  assert.equal((await packageJson()).repository, undefined);
  assert.ok((await packageJson()).files.includes("docs"));
  const readme = await Deno.readTextFile(join(directory, "README.md"));
  const led = [...readme.matchAll(/\]\((docs\/[\w-]+\.md)\)/g)].map(([, file = ""]) => file);
  assert.ok(led.length > 3);
  for (const file of led) assert.ok((await Deno.stat(join(directory, file))).isFile, file);
  await using folder = await createTempDir();
  const stage = { directory: folder.path };
  await copyTree(join(directory, "deno.json"), join(folder.path, "deno.json"));
  await toNpmPackage(stage, { repository: "https://example.org/some/inkling" });
  const expected = JSON.parse(await Deno.readTextFile(join(stage.directory, "package.json")));
  assert.deepEqual(expected.repository, {
    type: "git",
    url: "git+https://example.org/some/inkling.git",
  });
  await assert.rejects(toNpmPackage(stage, { repository: "some/inkling" }), /is not the https/);
});

Deno.test("the npm package: `update` does not call npm while the name is unpublished", async () => {
  await Deno.writeTextFile(join(home.root, "npm"), "#!/bin/sh\ntouch asked\necho 99.0.0\n");
  await Deno.chmod(join(home.root, "npm"), 0o755);
  const path = `PATH=${home.root}:${Deno.env.get("PATH")}`;
  const { code, stderr } = await installed.run(["env", path, ...bin, "update", "--check"]);
  assert.equal(code, 1);
  assert.match(stderr, /^Error: Cannot update through npm: Inkling is not in npm's registry/);
  await Deno.remove(join(home.root, "npm"));
  await assert.rejects(Deno.stat(join(home.root, "asked")), Deno.errors.NotFound);
});

Deno.test("the npm package: it downloads nothing and caches no packages", () => {
  const packages = join(home.root, ".cache/deno/npm");
  assert.deepEqual([...Deno.readDirSync(packages)], []);
});

/** Replaces the package's Deno by FAKE_DENO until disposed. */
async function openFakeDeno(): Promise<AsyncDisposable> {
  const fake = join(home.root, "deno");
  await Deno.writeTextFile(fake, FAKE_DENO, { mode: 0o755 });
  await installed.setDeno(fake);
  return { [Symbol.asyncDispose]: () => installed.setDeno(Deno.execPath()) };
}

Deno.test("the npm package: its bin starts Deno with the program's flags, variables and arguments", async () => {
  await using _fake = await openFakeDeno();
  const { stdout } = await installed.run([...bin, "run", "a b", "--message", ""]);
  assert.deepEqual(stdout.split("\n").slice(0, -1), [
    "1",
    ...Object.values(SERVICE_VARIABLES),
    ...["run", "--quiet", "--config", join(directory, "deno.json"), ...PERMISSION_FLAGS],
    ...[join(directory, "main.js"), "run", "a b", "--message", ""],
  ]);
});

Deno.test("the npm package: its bin works without npm's install scripts, and behind links", async () => {
  const deno = Deno.execPath();
  await using _restored = { [Symbol.asyncDispose]: () => installed.setDeno(deno) };
  await installed.setDeno(deno, { isReady: false });
  const expected = { code: 0, stdout: `${VERSION}\n`, stderr: "" };
  assert.deepEqual(await installed.run([...bin, "--version"]), expected);
  await installed.setDeno(deno);
  await Deno.mkdir(join(home.root, "bin"));
  await Deno.symlink("../lib/node_modules/inkling/bin/inkling", join(home.root, "bin/first"));
  await Deno.symlink("first", join(home.root, "bin/inkling"));
  // The PATH contains no Node, because the package does not need Node.
  const tools = join(home.root, "tools");
  await Deno.mkdir(tools);
  await Deno.symlink("/usr/bin/readlink", join(tools, "readlink"));
  const command = ["env", `PATH=${tools}`, join(home.root, "bin/inkling"), "--version"];
  assert.deepEqual(await installed.run(command), expected);
});

Deno.test("the npm package: its bin returns the program's exit code", async () => {
  await using _fake = await openFakeDeno();
  for (const code of [0, 4, 141]) {
    assert.equal((await installed.run([...bin, `exit-${code}`])).code, code);
  }
  assert.equal((await installed.run([...bin, "die"])).code, 137);
});

Deno.test("the npm package: its bin forwards signals", async () => {
  await using _fake = await openFakeDeno();
  for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]] as const) {
    await using child = installed.spawn([...bin, "wait"]);
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    let said = (await reader.read()).value ?? "";
    assert.equal(said, "ready\n");
    child.kill(signal);
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      said += next.value;
    }
    assert.equal(said, `ready\ngot ${signal.slice(3)}\n`);
    await child.stderr.cancel();
    assert.equal((await child.status).code, code);
  }
});

Deno.test("the npm package: without its Deno, its bin reports the missing package", async () => {
  await using _restored = { [Symbol.asyncDispose]: () => installed.setDeno(Deno.execPath()) };
  await Deno.remove(join(directory, "../deno"), { recursive: true });
  const run = await installed.run([...bin, "--version"]);
  assert.equal(run.code, 1);
  assert.match(
    run.stderr,
    /^Inkling cannot start, because its Deno is missing: Cannot find module/,
  );
  assert.equal(run.stderr.split("\n").length, 3);
});
