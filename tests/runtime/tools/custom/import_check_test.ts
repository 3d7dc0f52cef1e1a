// Tests the imports that a tool may have if the module loader checks no permissions.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { findForbiddenImport } from "../../../../runtime/tools/custom/import_check.ts";
import { openBinary } from "./binary_program.ts";
import { ToolWorld } from "./tool_world.ts";

async function check(source: string, others: Record<string, string> = {}): Promise<string> {
  const base = await Deno.realPath(await Deno.makeTempDir({ prefix: "inkling-test-" }));
  try {
    const folder = join(base, "tools");
    await Deno.mkdir(folder);
    await Deno.writeTextFile(join(base, "outside.ts"), "");
    await Deno.symlink(join(base, "outside.ts"), join(folder, "link.ts"));
    for (const [name, text] of Object.entries({ "tool.ts": source, ...others })) {
      await Deno.writeTextFile(join(folder, name), text);
    }
    return (await findForbiddenImport(join(folder, "tool.ts"), folder) ?? "").replaceAll(base, "");
  } finally {
    await Deno.remove(base, { recursive: true });
  }
}

const HARMLESS = [
  'import { join } from "node:path"; import fs from "fs/promises"; export * from "./other.ts";',
  'import data from "./data.json" with { type: "json" };\nconst a = import.meta.url;',
  'const b = await import("./other.ts"); const c = await import( /* here */ "./other.ts" );',
  'import "./other.ts"; type T = import("./other.ts").T; const importer = 1; importer.x;',
  'import process from "node:process"; import { execFile } from "node:child_process";',
  "// imports (something) from somewhere\nexport const from = 'a';",
];

Deno.test("findForbiddenImport() accepts harmless imports", async () => {
  const others = { "other.ts": "export const x = 1;", "data.json": "{}" };
  for (const source of HARMLESS) assert.equal(await check(source, others), "", source);
});

const OPEN = [
  'await import(path, { with: { type: "text" } });',
  "await import(`/etc/passwd`);",
  'await import("/etc" + "/passwd", { with: { type: "text" } });',
  'import text from "/etc/passwd" with { type: "text" };',
  'import text from "file:///etc/passwd" with { type: "text" };',
  'import text from "../outside.ts" with { type: "text" };',
  'import text from "./../outside.ts";',
  'import text from "./link.ts";',
  'import text from "./a/..%2f..%2foutside.ts";',
  String.raw`import text from "\x2fetc/passwd" with { type: "text" };`,
  'export { default } from "/etc/passwd" with { type: "text" };',
  'export * from/* here */"/etc/passwd";',
  'import"/etc/passwd";',
  "const { a } = { ...import(b) };",
  "import/**/\n// so\n(b)",
  '// import /*\nimport(b) /* */ ("./other.ts")',
  "import.source(b)",
  'import("./other.ts" + b)',
  'import "data:text/javascript,1"; ',
  'import "blob:x";',
  'import { createRequire } from "node:module";',
  'import vm from "vm";',
  'import { Worker } from "node:worker_threads";',
  'import { getBuiltinModule } from "node:process";',
  'import process, { getBuiltinModule } from "node:process";',
  'import * as process from "process";',
  'import x = require("/etc/passwd");',
  'import x from "./code.wasm";',
  'import "./other.ts"; import "./computed.ts";',
];

Deno.test("findForbiddenImport() refuses each import of a file that a tool may not read", async () => {
  const others = { "other.ts": "", "computed.ts": "await import(globalThis.path);" };
  const expected =
    /^\/tools\/(tool|computed)\.ts: it (imports|calls) .*; in an executable without a sandbox .*bubblewrap/;
  for (const source of OPEN) assert.match(await check(source, others), expected, source);
});

Deno.test("findForbiddenImport() stays fast with thousands of comments after `import` or `from`", async () => {
  assert.notEqual(await check(`import ${"/**/ ".repeat(20_000)} (x)`), "");
  assert.equal(await check(`import ${"/* ".repeat(20_000)}`), "");
  assert.equal(await check(`from ${"//\n".repeat(20_000)}`), "");
});

const TEXT_TO_CODE: Record<string, string> = {
  "eval": "return eval('1')",
  "an indirect eval": "return (0, eval)('1')",
  "Function": "return new Function('return 1')()",
  "the constructor of a function": "return (() => {}).constructor('return 1')()",
  "the constructor of an async function": "return await (async () => {}).constructor('return 1')()",
  "the constructor of a generator": "return (function* () {}).constructor('return 1')().next()",
  "a worker": "return String(new Worker('data:text/javascript,1', { type: 'module' }))",
  "Node's vm": "return process.getBuiltinModule('node:vm').runInThisContext('1')",
  "a module of Node's": "return process.getBuiltinModule('node:module')",
  "Deno's own": "return Deno[Deno.internal].core.evalContext('1', 'file:///x.js')",
  "a timer": "return setTimeout('1', 0)",
};

Deno.test("a custom tool in an executable without a sandbox cannot run strings as code", async (t) => {
  await using binary = await openBinary();
  await using world = await ToolWorld.open({ program: binary.program });
  const ways = Object.entries(TEXT_TO_CODE).map(([how, body]) =>
    `"${how}": async () => { ${body} }`
  );
  await world.writeTool(
    "maker",
    `const told: Record<string, string> = {};
     const ways: Record<string, () => unknown> = { ${ways.join(",\n")} };
     for (const [how, way] of Object.entries(ways)) {
       try { told[how] = "done: " + await way(); } catch (error) { told[how] = String(error); }
     }
     told.else = String([].concat(1) instanceof Array && (() => {}) instanceof Function);
     return told;`,
  );
  const told = JSON.parse(await world.call("maker"));
  for (const how of Object.keys(TEXT_TO_CODE)) {
    await t.step(how, () => {
      assert.match(
        told[how],
        /Error.*(in an executable without a sandbox|undefined|of type function)/,
      );
    });
  }
  assert.equal(told.else, "true", "and works else");
});

Deno.test("an executable without a sandbox refuses a custom tool with a computed import", async () => {
  await using binary = await openBinary();
  await using world = await ToolWorld.open({ program: binary.program });
  const body = 'return (await import(args.path, { with: { type: "text" } })).default';
  await world.writeTool("reader", body);
  await assert.rejects(
    world.call("reader", { path: join(dirname(binary.program.program), "x") }),
    /The custom tool reader cannot be used: .*reader\.ts: it imports by an expression; in an executable/,
  );
});
