// The stage that everything is packed from: what its packages ask for lies in it. Above the files of an executable lies the
// temporary folder, where anybody may put a package of any name.
import assert from "node:assert/strict";
import { join } from "node:path";
import { openExecutableStage } from "../../release/executable.ts";
import { openStage } from "../../release/stage.ts";
import { runCommand } from "../../release/command.ts";
import { openTempFolder } from "./task_run.ts";

/** Prints, as JSON, each text that a module of the packages asks for and that leads out of the folder, or nowhere. */
const RESOLVE_ALL = `
import { createRequire, isBuiltin } from "node:module";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
const root = Deno.args[0];
const asked = /\\b(?:require|import)\\(\\s*["']([^"'\\s]+)["']\\s*\\)|\\bfrom\\s*["']([^"'\\s]+)["']/g;
const strange = {};
for (const name of readdirSync(join(root, "node_modules"), { recursive: true })) {
  if (!/\\.(js|mjs|cjs)$/.test(name)) continue;
  const file = join(root, "node_modules", name);
  if (!statSync(file).isFile()) continue;
  const source = readFileSync(file, "utf8").replaceAll(/\\/\\*[^]*?\\*\\/|^\\s*\\/\\/.*$/gm, "");
  const require = createRequire(file);
  for (const [, called, named] of source.matchAll(asked)) {
    const specifier = called ?? named;
    if (isBuiltin(specifier) || !/^\\.|^[a-z@][^A-Z]*$/.test(specifier)) continue;
    let found = "nowhere";
    try {
      found = require.resolve(specifier);
    } catch { /* Packages that are there for "import" alone are resolved so. */
      try { found = new URL(import.meta.resolve(specifier)).pathname; } catch { /* Nowhere. */ }
    }
    if (!found.startsWith(root)) strange[specifier] = [name, found];
  }
}
console.log(JSON.stringify(strange));
`;

Deno.test("every package that the packages of an executable ask for is found inside of it, although others lie above it", async () => {
  await using folder = await openTempFolder();
  const above = await Deno.realPath(folder.path);
  await using stage = await openExecutableStage({});
  const root = join(above, "executable");
  await Deno.rename(stage.directory, root);
  await Deno.mkdir(stage.directory);
  for (const name of ["bufferutil", "utf-8-validate", "supports-color", "undici", "ajv"]) {
    const planted = join(above, "node_modules", name);
    await Deno.mkdir(planted, { recursive: true });
    await Deno.writeTextFile(join(planted, "package.json"), JSON.stringify({ name }));
    await Deno.writeTextFile(join(planted, "index.js"), 'console.log("planted code runs");');
  }
  const run = async (name: string, code: string) => {
    await Deno.writeTextFile(join(root, name), code);
    const allow = ["--no-prompt", "--no-check", "--allow-read", "--allow-env", "--allow-sys"];
    return await runCommand([Deno.execPath(), "run", ...allow, name, root], { cwd: root });
  };

  const resolved = await run("resolve_all.mjs", RESOLVE_ALL);
  assert.equal(resolved.stderr, "");
  assert.deepEqual(JSON.parse(resolved.stdout), {});

  const loaded = await run(
    "load.mjs",
    'import debug from "debug"; import ws from "ws"; console.log(typeof debug, typeof ws);',
  );
  assert.equal(loaded.stdout, "function function\n", loaded.stderr);
});

Deno.test("no module of what ships waits while it loads, which some engines do not start", async () => {
  await using stage = await openStage();
  const waiting = stage.files.filter((file) => file.endsWith(".ts")).filter((file) =>
    // What is indented stands in a function.
    /^(?!\/\/|\/?\*)\S(.*\s)?await\s/m.test(Deno.readTextFileSync(join(stage.directory, file)))
  );
  assert.deepEqual(waiting, []);
});
