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

Deno.test("resolveConfigDir() takes its own variable, then XDG's, then the home directory", () => {
  const all = { INKLING_CONFIG_DIR: "/own", XDG_CONFIG_HOME: "/xdg" };
  assert.equal(resolveConfigDir(env(all), "/home/me"), "/own");
  assert.equal(
    resolveConfigDir(env({ XDG_CONFIG_HOME: "/xdg" }), "/home/me"),
    "/xdg/inkling",
  );
  assert.equal(
    resolveConfigDir(env({}), "/home/me"),
    "/home/me/.config/inkling",
  );
  assert.equal(
    resolveConfigDir(env({ INKLING_CONFIG_DIR: "~/c" }), "/home/me"),
    "/home/me/c",
  );
});

Deno.test("resolveBaseStateDir() ignores variables that are empty, and relative XDG paths", () => {
  assert.equal(
    resolveBaseStateDir(env({ INKLING_STATE_DIR: "/own" }), "/home/me"),
    "/own",
  );
  const useless = { INKLING_STATE_DIR: "", XDG_STATE_HOME: "state" };
  assert.equal(
    resolveBaseStateDir(env(useless), "/home/me"),
    "/home/me/.local/state/inkling",
  );
});

Deno.test("resolveSocketFile() stays in the state directory up to 104 bytes", () => {
  const dir = `/${"s".repeat(104 - "/service.sock".length - 1)}`;
  const usual = `${dir}/service.sock`;
  assert.equal(usual.length, 104);
  assert.equal(resolveSocketFile(dir, env({})), usual);
  const runtime = env({ XDG_RUNTIME_DIR: "/run/user/1" });
  assert.match(
    resolveSocketFile(`${dir}x`, runtime),
    /^\/run\/user\/1\/inkling\/[0-9a-f]{16}\.sock$/,
  );
});

Deno.test("resolveSocketFile() counts bytes, not characters", () => {
  const dir = `/${"é".repeat(50)}`;
  assert.throws(() => resolveSocketFile(dir, env({})), SocketPathTooLong);
});

Deno.test("resolveSocketFile() gives different directories different sockets, and one always the same", () => {
  const runtime = env({ XDG_RUNTIME_DIR: "/run/user/1" });
  const long = `/${"s".repeat(120)}`;
  assert.notEqual(
    resolveSocketFile(`${long}/a`, runtime),
    resolveSocketFile(`${long}/b`, runtime),
  );
  assert.equal(
    resolveSocketFile(long, runtime),
    resolveSocketFile(long, runtime),
  );
});

Deno.test("resolveSocketFile() names the limit when nothing fits", () => {
  const long = `/${"s".repeat(120)}`;
  for (
    const variables of [{}, { XDG_RUNTIME_DIR: long }, {
      XDG_RUNTIME_DIR: "relative",
    }]
  ) {
    assert.throws(
      () => resolveSocketFile(long, env(variables)),
      (error) =>
        error instanceof SocketPathTooLong &&
        /the limit is 104/.test(error.message),
    );
  }
});

Deno.test("expandHome() replaces a leading tilde only", () => {
  const pairs = [["~", "/h"], ["~/a", "/h/a"], ["~a", "~a"], ["a/~", "a/~"], [
    "/a",
    "/a",
  ]] as const;
  for (const [written, path] of pairs) {
    assert.equal(expandHome(written, "/h"), path);
  }
});

Deno.test("pinFolders() makes folders absolute that are relative to the current directory, and changes nothing else", () => {
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
    assert.equal(
      resolveBaseStateDir(env(pinFolders(shell)), "/home/me"),
      resolveBaseStateDir(env(shell), "/home/me"),
    );
  }
});
