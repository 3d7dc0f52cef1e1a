import assert from "node:assert/strict";
import { SandboxRoots } from "../../../../runtime/tools/files/sandbox_roots.ts";
import { withTempDir } from "../../../support/temp_dir.ts";

Deno.test("SandboxRoots is the workspace where no path is declared, and only what is declared otherwise", () => {
  const whole = new SandboxRoots({ workspace: "/work", paths: [] });
  assert.equal(whole.of("/work/a", "write")?.alias, "workspace");
  assert.equal(whole.of("/workshop", "read"), undefined);
  const declared = new SandboxRoots({
    workspace: "/work",
    paths: [{ alias: "data", path: "/work/data" }],
  });
  assert.equal(declared.of("/work/data/a", "write")?.alias, "data");
  assert.equal(declared.of("/work/a", "read"), undefined);
});

Deno.test("SandboxRoots lets watched paths and the files of a pattern be read and not written", () => {
  const roots = new SandboxRoots({
    workspace: "/work",
    paths: [{ alias: "data", path: "/work/data" }],
    extraReadPaths: ["inbox", "/else"],
    readableFiles: [{ folder: "/scans", matches: (relative) => relative.endsWith(".pdf") }],
  });
  for (const path of ["/work/inbox/a", "/else", "/scans/in/a.pdf"]) {
    assert.ok(roots.of(path, "read"), path);
    assert.equal(roots.of(path, "write"), undefined, path);
  }
  assert.equal(roots.of("/scans/a.txt", "read"), undefined);
});

Deno.test("SandboxRoots.whole() leaves out what is no place to look around in, and for writing what is only read", () => {
  const roots = new SandboxRoots({
    workspace: "/work",
    paths: [],
    extraReadPaths: ["/inbox"],
    readableFiles: [{ folder: "/scans", matches: () => true }],
  });
  const paths = (access: "read" | "write") => roots.whole(access).map(({ place }) => place.path);
  assert.deepEqual(paths("read"), ["/work", "/inbox"]);
  assert.deepEqual(paths("write"), ["/work"]);
  assert.equal(roots.all.length, 3);
});

Deno.test("SandboxRoots knows a linked root by its real path once it has been looked at", async () => {
  await withTempDir(async (dir) => {
    await Deno.mkdir(`${dir}/real`);
    await Deno.symlink(`${dir}/real`, `${dir}/link`);
    const roots = new SandboxRoots({ workspace: `${dir}/link`, paths: [] });
    roots.settle();
    assert.ok(roots.of(`${dir}/real/a`, "write"));
    assert.equal(roots.of(`${dir}/link/a`, "write"), undefined);
  });
});
