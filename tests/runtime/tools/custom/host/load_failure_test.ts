// Why a tool's file cannot be loaded: told in one sentence, with the place.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describeLoadFailure } from "../../../../../runtime/tools/custom/host/load_failure.ts";
import { failureOf } from "../../files/sandbox_fixture.ts";
import { ToolWorld } from "../tool_world.ts";

const RULE =
  "a custom tool may import only node: modules and, by relative path, files of the tools folder";

Deno.test("a file that imports a package is refused with the import and its place", async () => {
  await using world = await ToolWorld.open();
  const { toolsDir } = world.directories;
  await Deno.mkdir(join(toolsDir, "lib"));
  const tool = `export default { description: "d", run: () => 1 };`;
  const imports: Record<string, { specifier: string; source: string; place: string }> = {
    npm: {
      specifier: "npm:left-pad",
      source: `// Pads.\nimport x from "npm:left-pad"; x; ${tool}`,
      place: "npm.ts:2:15",
    },
    jsr: { specifier: "jsr:@std/path", source: `import "jsr:@std/path";`, place: "jsr.ts:1:8" },
    url: {
      specifier: "https://localhost:9/x.ts",
      source: `import 'https://localhost:9/x.ts';`,
      place: "url.ts:1:8",
    },
    bare: { specifier: "left-pad", source: `import "left-pad";`, place: "bare.ts:1:8" },
    late: { specifier: "npm:a", source: `await import("npm:a"); ${tool}`, place: "late.ts:1:1" },
    outer: { specifier: "npm:b", source: `import "./lib/inner.ts";`, place: "lib/inner.ts:1:8" },
  };
  await world.write("lib/inner.ts", `import "npm:b";`);
  for (const [module, { specifier, source, place }] of Object.entries(imports)) {
    await world.write(`${module}.ts`, source);
    assert.deepEqual(await world.tools.inspect(module), {
      problem: `The custom tool ${module} cannot be used: ${join(toolsDir, `${module}.ts`)}: ` +
        `Cannot import "${specifier}" (${place}): ${RULE}`,
    });
  }
});

Deno.test("a call that imports a package fails with the import and its place", async () => {
  await using world = await ToolWorld.open();
  await world.writeTool("late", `return await import("npm:left-pad");`);
  assert.match(await failureOf(world.call("late")), /^Cannot import "npm:left-pad" \(late\.ts:3:/);
  assert.deepEqual(world.logged.filter((line) => line.includes("--no-npm")), []);
});

Deno.test("describeLoadFailure() does without what it cannot read, and leaves other errors alone", () => {
  const module = "file:///nowhere/tool.ts";
  const loadError = (message: string) =>
    Object.assign(new TypeError(message), { code: "ERR_MODULE_NOT_FOUND" });
  const refused = `npm specifiers were requested; but --no-npm is specified`;
  assert.deepEqual(
    describeLoadFailure(loadError(`${refused}\n    at file:///nowhere/a%20b.ts:3:4`), module),
    { message: `Cannot import a package (a b.ts:3:4): ${RULE}` },
  );
  assert.deepEqual(
    describeLoadFailure(loadError(`${refused}\n    at file:///elsewhere/a.ts:3:4`), module),
    { message: `Cannot import a package: ${RULE}` },
  );
  assert.equal(
    describeLoadFailure(loadError(`Module not found "file:///x.ts".`), module),
    undefined,
  );
  assert.equal(describeLoadFailure(new TypeError(refused), module), undefined);
});

Deno.test("a file that cannot be loaded is refused with the place and what is wrong there", async () => {
  await using world = await ToolWorld.open();
  const { toolsDir } = world.directories;
  const tool = `export default { description: "d", run: () => 1 };`;
  const cases: Record<string, { source: string; problem: string }> = {
    typescript: {
      source: `const a: number = 1;\n${tool}\na + ;`,
      problem: "typescript.ts:3:5: SyntaxError: Expression expected",
    },
    outer: {
      source: `import "./lib/inner.ts";\n${tool}`,
      problem: "lib/inner.ts:2:11: SyntaxError: Expression expected",
    },
    engine: {
      source: `const a = 1; let a = 2;\n${tool}`,
      problem: "engine.ts:1:18: Identifier 'a' has already been declared",
    },
    exports: {
      source: `import { b } from "./good.ts"; b;\n${tool}`,
      problem:
        "exports.ts:1:10: The requested module './good.ts' does not provide an export named 'b'",
    },
    thrown: {
      source: `const f = () => {\n  throw new Error("no good");\n};\nf();\n${tool}`,
      problem: "thrown.ts:2:9: no good",
    },
  };
  await Deno.mkdir(join(toolsDir, "lib"));
  await world.write("lib/inner.ts", "\nconst b = ;");
  await world.write("good.ts", tool);
  for (const [module, { source, problem }] of Object.entries(cases)) {
    await world.write(`${module}.ts`, source);
    assert.deepEqual(await world.tools.inspect(module), {
      problem: `The custom tool ${module} cannot be used: ${join(toolsDir, problem)}`,
    });
  }
});

Deno.test("a call of a tool whose file has broken since fails with the place", async () => {
  await using world = await ToolWorld.open();
  await world.writeTool("broken", "return 1;");
  const [tool] = await world.openTools("broken");
  await world.write("broken.ts", "\n\nexport default ;");
  assert.equal(
    await failureOf(world.run(tool ?? assert.fail())),
    "broken.ts:3:16: SyntaxError: Expression expected",
  );
});
