import assert from "node:assert/strict";
import { resolve } from "node:path";
import {
  expandHome,
  pinFolders,
  resolveBaseStateDir,
  resolveConfigDir,
  resolveSocketFile,
  SocketPathTooLong,
} from "../../../runtime/config/places.ts";

const env = (variables: Record<string, string>) => (name: string) => variables[name];

Deno.test("resolveConfigDir() uses its own variable, then XDG's, then the home directory", () => {
  const rows: [variables: Record<string, string>, folder: string][] = [
    [{ INKLING_CONFIG_DIR: "/own", XDG_CONFIG_HOME: "/xdg" }, "/own"],
    [{ XDG_CONFIG_HOME: "/xdg" }, "/xdg/inkling"],
    [{}, "/home/me/.config/inkling"],
    [{ INKLING_CONFIG_DIR: "~/c" }, "/home/me/c"],
  ];
  for (const [variables, folder] of rows) {
    assert.equal(resolveConfigDir(env(variables), "/home/me"), folder);
  }
});

Deno.test("resolveBaseStateDir() ignores empty variables and relative XDG paths", () => {
  assert.equal(resolveBaseStateDir(env({ INKLING_STATE_DIR: "/own" }), "/home/me"), "/own");
  const useless = env({ INKLING_STATE_DIR: "", XDG_STATE_HOME: "state" });
  assert.equal(resolveBaseStateDir(useless, "/home/me"), "/home/me/.local/state/inkling");
});

Deno.test("resolveSocketFile() leaves the state directory only for paths beyond 104 bytes", () => {
  const dir = `/${"s".repeat(104 - "/service.sock".length - 1)}`;
  const usual = `${dir}/service.sock`;
  assert.equal(usual.length, 104);
  assert.equal(resolveSocketFile(dir, env({})), usual);
  const runtime = env({ XDG_RUNTIME_DIR: "/run/user/1" });
  const [first, other] = ["x", "y"].map((end) => resolveSocketFile(dir + end, runtime));
  assert.match(first ?? "", /^\/run\/user\/1\/inkling\/[0-9a-f]{16}\.sock$/);
  assert.notEqual(first, other);
  assert.equal(resolveSocketFile(`${dir}x`, runtime), first);
  for (const elsewhere of [{}, { XDG_RUNTIME_DIR: dir }, { XDG_RUNTIME_DIR: "relative" }]) {
    const refusal = { name: "SocketPathTooLong", message: /the limit is 104/ };
    assert.throws(() => resolveSocketFile(`${dir}x`, env(elsewhere)), refusal);
  }
  assert.throws(() => resolveSocketFile(`/${"é".repeat(50)}`, env({})), SocketPathTooLong);
});

Deno.test("expandHome() replaces a leading tilde only", () => {
  const rows = { "~": "/h", "~/a": "/h/a", "~a": "~a", "a/~": "a/~", "/a": "/a" };
  for (const [written, path] of Object.entries(rows)) assert.equal(expandHome(written, "/h"), path);
});

Deno.test("pinFolders() makes relative folders absolute, and changes nothing else", () => {
  const cwd = Deno.cwd();
  assert.deepEqual(
    pinFolders({
      INKLING_CONFIG_DIR: "conf",
      INKLING_STATE_DIR: "../state",
      DENO_DIR: "~/cache",
      XDG_STATE_HOME: "ignored",
      HOME: "/home/me",
    }),
    {
      INKLING_CONFIG_DIR: resolve(cwd, "conf"),
      INKLING_STATE_DIR: resolve(cwd, "../state"),
      DENO_DIR: resolve(cwd, "~/cache"),
      XDG_STATE_HOME: "ignored",
      HOME: "/home/me",
    },
  );
  for (const folder of ["~", "~/state", "/state", ""]) {
    const shell = { INKLING_STATE_DIR: folder };
    assert.deepEqual(pinFolders(shell), shell);
    const found = resolveBaseStateDir(env(pinFolders(shell)), "/home/me");
    assert.equal(found, resolveBaseStateDir(env(shell), "/home/me"));
  }
});
