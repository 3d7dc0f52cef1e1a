import assert from "node:assert/strict";
import { exportedTools } from "../../../../../runtime/tools/custom/host/exported_tools.ts";

const tool = (more: Record<string, unknown> = {}) => ({ run: () => "done", ...more });
const namesOf = (exports: Record<string, unknown>) =>
  exportedTools(exports, "file").map(({ name }) => name);

Deno.test("exportedTools() names a tool by its own name, else its export's, and a default one by the file", () => {
  assert.deepEqual(namesOf({ default: tool(), add: tool(), other: tool({ name: "subtract" }) }), [
    ...["add", "subtract", "file"],
  ]);
});

Deno.test("exportedTools() finds the tools in arrays, and one that is exported twice once", () => {
  const twice = tool();
  assert.deepEqual(namesOf({ default: twice, sum: twice }), ["sum"]);
  const list = [tool({ name: "a" }), tool({ name: "b" }), "no tool", null];
  assert.deepEqual(namesOf({ tools: list, default: list }), ["a", "b"]);
});

Deno.test("exportedTools() takes nothing else for a tool", () => {
  const exports = { a: 1, b: null, c: () => {}, d: { run: "now" }, e: {}, f: undefined };
  assert.deepEqual(namesOf(exports), []);
});

Deno.test("exportedTools(): run is the tool's own method, with its `this`", () => {
  const counter = { count: 1, run: (args: unknown) => args, again() {} };
  const [plain] = exportedTools({ counter }, "file");
  assert.equal(plain?.run("x", {}), "x");
  const own = {
    count: 41,
    run(by: number) {
      return this.count + by;
    },
  };
  assert.equal(exportedTools({ own }, "file")[0]?.run(1, {}), 42);
});
