// Tests of the detection of the installation's kind.
import assert from "node:assert/strict";
import { distributionOf } from "../../../cli/context/distribution.ts";

Deno.test("distributionOf() finds the npm package and its name in the path of the source", () => {
  const cases: [directory: string, packageName: string, of: string][] = [
    ["/usr/lib/node_modules/inkling", "inkling", "/usr/lib/node_modules/inkling"],
    ["/usr/lib/node_modules/inkling/dist", "inkling", "/usr/lib/node_modules/inkling"],
    ["/x/node_modules/@who/inkling/dist", "@who/inkling", "/x/node_modules/@who/inkling"],
    ["/x/node_modules/a/node_modules/b", "b", "/x/node_modules/a/node_modules/b"],
    [
      "C:\\npm\\node_modules\\@who\\inkling",
      "@who/inkling",
      "C:\\npm\\node_modules\\@who\\inkling",
    ],
  ];
  for (const [directory, packageName, of] of cases) {
    assert.deepEqual(
      distributionOf(directory),
      { kind: "npm", packageName, directory: of },
    );
  }
});

Deno.test("distributionOf() returns a source checkout for folders that are no package in node_modules", () => {
  for (const directory of ["/home/me/inkling", "/home/me/node_modules", "/my_node_modules/x"]) {
    assert.deepEqual(distributionOf(directory), { kind: "source", directory });
  }
});
