// Tests the message for a tool's file that cannot be loaded: one sentence with the position.
import assert from "node:assert/strict";
import { join } from "node:path";
import { failureOf } from "../../files/sandbox_fixture.ts";
import { ToolWorld } from "../tool_world.ts";

const RULE =
  "a custom tool may import only node: modules and, by relative path, files of the tools folder";

Deno.test("openTools() reports the fault and its position in an unusable file", async () => {
  await using world = await ToolWorld.open();
  const { toolsDir } = world.directories;
  const tool = `export default { description: "d", run: () => 1 };`;
  const cases: Record<string, [source: string, problem: string]> = {
    npm: [
      `// Pads.\nimport x from "npm:left-pad"; x; ${tool}`,
      `npm.ts: Cannot import "npm:left-pad" (npm.ts:2:15): ${RULE}`,
    ],
    bare: [`import "left-pad";`, `bare.ts: Cannot import "left-pad" (bare.ts:1:8): ${RULE}`],
    url: [
      `await import("https://localhost:9/x.ts"); ${tool}`,
      `url.ts: Cannot import "https://localhost:9/x.ts" (url.ts:1:1): ${RULE}`,
    ],
    outer: [
      `import "./lib/package.ts";`,
      `outer.ts: Cannot import "jsr:@std/path" (lib/package.ts:1:8): ${RULE}`,
    ],
    inner: [
      `import "./lib/broken.ts";\n${tool}`,
      "lib/broken.ts:2:11: SyntaxError: Expression expected",
    ],
    engine: [
      `const a = 1; let a = 2;\n${tool}`,
      "engine.ts:1:18: Identifier 'a' has already been declared",
    ],
    exports: [
      `import { b } from "./good.ts"; b;\n${tool}`,
      "exports.ts:1:10: The requested module './good.ts' does not provide an export named 'b'",
    ],
    thrown: [
      `const f = () => {\n  throw new Error("no good");\n};\nf();\n${tool}`,
      "thrown.ts:2:9: no good",
    ],
  };
  await Deno.mkdir(join(toolsDir, "lib"));
  await world.write("lib/package.ts", `import "jsr:@std/path";`);
  await world.write("lib/broken.ts", "\nconst b = ;");
  await world.write("good.ts", tool);
  for (const [module, [source, problem]] of Object.entries(cases)) {
    await world.write(`${module}.ts`, source);
    assert.deepEqual(await world.tools.inspect(module), {
      problem: `The custom tool ${module} cannot be used: ${toolsDir}/${problem}`,
    });
  }
});

Deno.test("a call that imports a package fails with the import and its position", async () => {
  await using world = await ToolWorld.open();
  await world.writeTool("late", `return await import("npm:left-pad");`);
  assert.match(await failureOf(world.call("late")), /^Cannot import "npm:left-pad" \(late\.ts:3:/);
  assert.deepEqual(world.logged.filter((line) => line.includes("--no-npm")), []);
});

Deno.test("a call fails with the position of the fault if the file became invalid", async () => {
  await using world = await ToolWorld.open();
  await world.writeTool("broken", "return 1;");
  const [tool] = await world.openTools("broken");
  await world.write("broken.ts", "\n\nexport default ;");
  const message = await failureOf(world.run(tool ?? assert.fail()));
  assert.equal(message, "broken.ts:3:16: SyntaxError: Expression expected");
});
