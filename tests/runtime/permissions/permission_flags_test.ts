// Tests the conversion of needs to flags: no need is lost or repeated.
import assert from "node:assert/strict";
import fc from "fast-check";
import { toPermissionFlags } from "../../../runtime/permissions/derive_flags.ts";
import type { PermissionKind } from "../../../runtime/permissions/permission_need.ts";
import type { PermissionNeed } from "../../../runtime/permissions/permission_need.ts";

const need = (kind: PermissionKind, value: string, why = "a reason"): PermissionNeed => (
  { kind, value, why }
);

function flagsOf(needs: PermissionNeed[]): string[] {
  return toPermissionFlags(needs, { closed: [] }).flags.map(({ flag }) => flag);
}

Deno.test("toPermissionFlags() never allows everything, remote code or undeclared variables", () => {
  assert.deepEqual(flagsOf([]), [
    ...["--no-prompt", "--no-remote", "--frozen"],
    ...["--allow-sys", "--ignore-env"],
  ]);
});

Deno.test("toPermissionFlags() leaves out values that another value covers", () => {
  const flags = flagsOf([
    ...[need("read", "/a/b/c"), need("read", "/a/b"), need("read", "/a/bc")],
    ...[need("net", "localhost:11434"), need("net", "localhost"), need("net", "api.example:443")],
    ...[need("net", "[::1]:80", "another"), need("env", "INKLING_API_KEY")],
    ...[need("env", "INKLING_*")],
  ]);
  assert.deepEqual(flags.slice(5), [
    ...["--allow-read=/a/b", "--allow-read=/a/bc", "--allow-net=localhost,api.example:443"],
    ...["--allow-net=[::1]:80", "--allow-env=INKLING_*"],
  ]);
});

Deno.test("toPermissionFlags() joins the reasons of a value, and counts many reasons", () => {
  const needs = ["one", "two", "one", "three", "four", "five"].map((why) =>
    need("read", "/data", why)
  );
  const [last] = toPermissionFlags(needs, { closed: [] }).flags.slice(-1);
  assert.deepEqual(last, { flag: "--allow-read=/data", why: "one, two, three and 2 more" });
});

Deno.test("toPermissionFlags() allows all programs if any program is needed", () => {
  const [flag] = toPermissionFlags([need("run", "", "the tools of x")], { closed: [] }).flags
    .slice(-1);
  assert.equal(flag?.flag, "--allow-run");
  assert.match(flag?.why ?? "", /^the tools of x; without a list, or Deno ends no group/);
});

Deno.test("toPermissionFlags() reports a path with a comma, which a flag cannot contain", () => {
  const { flags, remarks } = toPermissionFlags([need("read", "/a,b"), need("write", "/a,b")], {
    closed: ["/work/agents/_config", "/x,y"],
  });
  assert.ok(!flags.some(({ flag }) => flag.includes("a,b") || flag.includes("x,y")));
  assert.ok(flags.some(({ flag }) => flag === "--deny-write=/work/agents/_config"));
  assert.deepEqual(remarks, ["/a,b is left out: a flag cannot hold a comma; give it another name"]);
});

Deno.test("toPermissionFlags() allows exactly the needed paths", () => {
  const path = fc.array(fc.constantFrom("a", "b", "ab", "c d", "%41"), {
    minLength: 1,
    maxLength: 4,
  })
    .map((parts) => `/${parts.join("/")}`);
  fc.assert(fc.property(fc.array(path, { minLength: 1, maxLength: 8 }), path, (paths, other) => {
    const listed = flagsOf(paths.map((one) => need("read", one))).slice(4)
      .map((flag) => flag.replace("--allow-read=", ""));
    const allows = (list: string[], one: string) =>
      list.some((root) => one === root || one.startsWith(`${root}/`));
    for (const one of paths) assert.ok(allows(listed, one), one);
    assert.equal(allows(listed, other), allows(paths, other));
    for (const one of listed) assert.ok(!allows(listed.filter((root) => root !== one), one), one);
  }));
});
