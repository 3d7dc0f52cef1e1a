#!/usr/bin/env node
// @ts-check
// What npm puts on the PATH: starts the Deno that came with the package, with Inkling's permissions and no others.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:os";
import process from "node:process";
import { isatty } from "node:tty";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const path = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

/** Where the Deno of this package is. npm may have been told to run no install scripts, so it is asked for here. */
function findDeno() {
  try {
    return require("deno/install_api.cjs").runInstall();
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    console.error(`Inkling's Deno is not there, so it cannot start: ${reason}`);
    console.error("Install the package again, with its optional dependencies");
    process.exit(1);
  }
}

const deno = findDeno();
const args = [
  "run",
  ...["--config", path("../deno.json")],
  ...JSON.parse(readFileSync(path("deno_flags.json"), "utf8")),
  path("../main.js"),
  ...process.argv.slice(2),
];
// As in cli/service/service_environment.ts: here they reach a service in the foreground, too.
const forServices = { MALLOC_ARENA_MAX: "2", MALLOC_TRIM_THRESHOLD_: "131072" };
// The version is this package's affair: no hint at a newer Deno.
const env = { ...forServices, ...process.env, DENO_NO_UPDATE_CHECK: "1" };

// Node has it since 22.15, and not on Windows. Deno takes the place of this process: signals, exit code and terminal are
// its own.
if (process.execve !== undefined && process.platform !== "win32") {
  process.execve(deno, [deno, ...args], env);
}

// A terminal sends these to both; one that came twice would read as somebody's impatience.
const isOnTerminal = [0, 1, 2].some((stream) => isatty(stream));
// Before there is a child: it shall not be left alone by a signal that comes right after its start.
for (const signal of /** @type {const} */ (["SIGINT", "SIGHUP", "SIGTERM"])) {
  process.on(signal, () => {
    if (signal === "SIGTERM" || !isOnTerminal) child.kill(signal);
  });
}
const child = spawn(deno, args, { stdio: "inherit", env });
child.on("error", (error) => {
  console.error(`Inkling's Deno does not start: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  process.exit(signal === null ? code ?? 1 : 128 + constants.signals[signal]);
});
