import assert from "node:assert/strict";
import { SandboxRoots } from "../../../../runtime/tools/files/sandbox_roots.ts";

Deno.test("SandboxRoots makes watched paths and the files of a pattern read-only", () => {
  const readableFiles = [{
    folder: "/scans",
    matches: (relative: string) => relative.endsWith(".pdf"),
  }];
  const paths = [{ alias: "data", path: "/work/data" }];
  const extraReadPaths = ["inbox", "/else"];
  const roots = new SandboxRoots({ workspace: "/work", paths, extraReadPaths, readableFiles });
  for (const path of ["/work/inbox/a", "/else", "/scans/in/a.pdf"]) {
    assert.ok(roots.find(path, "read"), path);
    assert.equal(roots.find(path, "write"), undefined, path);
  }
  assert.equal(roots.find("/scans/a.txt", "read"), undefined);
});
