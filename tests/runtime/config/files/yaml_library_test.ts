// Which of the package's two builds is used: the tests of parsing cannot tell, a start that takes longer can.
import assert from "node:assert/strict";
import * as commonJs from "yaml";
import * as used from "../../../../runtime/config/files/yaml_library.ts";

Deno.test("the YAML package is loaded as ES modules, which lie where they are looked for", async () => {
  const address = new URL("../browser/index.js", import.meta.resolve("yaml"));
  const modules: typeof commonJs = await import(address.href);
  assert.equal(used.parseDocument, modules.parseDocument);
  assert.notEqual(used.parseDocument, commonJs.parseDocument);
});
