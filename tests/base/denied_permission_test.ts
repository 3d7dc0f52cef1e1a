// Tests of the messages about operations that Deno refuses.
import assert from "node:assert/strict";
import {
  deniedPermission,
  describeDenied,
  isConfined,
  isPermitted,
} from "../../base/denied_permission.ts";

function errorOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was refused");
}

Deno.test({
  name: "describeDenied() names the missing flag of a real refusal of each kind",
  permissions: { read: [], write: [], net: [], env: [], run: [], sys: [] },
  async fn() {
    assert.equal(isConfined(), true);
    const cases: [unknown, string][] = [
      [errorOf(() => Deno.readTextFileSync("/some/file")), "--allow-read=/some/file"],
      [errorOf(() => Deno.writeTextFileSync("/some/file", "")), "--allow-write=/some/file"],
      [
        await fetch("https://models.example/v1").catch((error) => error),
        "--allow-net=models.example:443",
      ],
      [errorOf(() => Deno.env.get("SOME_KEY")), "--allow-env=SOME_KEY"],
      [errorOf(() => new Deno.Command("true").outputSync()), "--allow-run=true"],
      [errorOf(() => Deno.umask()), "--allow-sys=umask"],
    ];
    for (const [error, flag] of cases) {
      assert.equal(
        describeDenied(error),
        `Inkling was started without ${flag}; start it again with the flags that "inkling permissions" prints for ` +
          "config.yaml and the agents",
      );
    }
  },
});

Deno.test({
  name:
    "describeDenied() can hide the path, and deniedPermission() finds a refusal in an error's cause",
  permissions: { read: [] },
  fn() {
    const cause = errorOf(() => Deno.readTextFileSync("/some/file"));
    const hidden = describeDenied(cause, { hidden: true }) ?? "";
    assert.ok(hidden.includes("without --allow-read for it;") && !hidden.includes("/some/file"));
    const wrapped = new Error("it failed", { cause: new Error("inner", { cause }) });
    assert.deepEqual(deniedPermission(wrapped), { kind: "read", value: "/some/file" });
  },
});

Deno.test("describeDenied() ignores other errors", () => {
  const words = 'Requires net access to "evil.example:80", run again with the --allow-net flag';
  assert.equal(describeDenied(new Error(words)), undefined);
  assert.equal(describeDenied("no error"), undefined);
  assert.equal(describeDenied(new Deno.errors.NotFound("gone")), undefined);
  const all = new Deno.errors.NotCapable('Requires all access to "/proc/1/mem", run again');
  assert.match(describeDenied(all) ?? "", /^Deno keeps the system's own files/);
  assert.equal(isConfined(), false);
});

Deno.test("isPermitted() asks Deno for a path only if the flags do not permit every path", () => {
  const { permissions } = Deno;
  const query = permissions.querySync;
  const asked: Deno.PermissionDescriptor[] = [];
  permissions.querySync = (descriptor) => {
    asked.push(descriptor);
    return query.call(permissions, descriptor);
  };
  try {
    assert.equal(isPermitted({ name: "write", path: "/some/file" }), true);
    assert.deepEqual(asked, [{ name: "write", path: undefined }]);
  } finally {
    permissions.querySync = query;
  }
});

Deno.test({
  name: "isPermitted() is true only for paths that the flags permit",
  permissions: { read: ["/some/folder"], write: [] },
  fn() {
    assert.equal(isPermitted({ name: "read", path: "/some/folder/file" }), true);
    assert.equal(isPermitted({ name: "read", path: "/some/other" }), false);
    assert.equal(isPermitted({ name: "write", path: "/some/folder/file" }), false);
  },
});
