// Sandboxes for tests: the system's own where it has one, and none.
import type { Bubblewrap } from "../../../runtime/sandbox/bubblewrap.ts";
import { ProcessSandbox } from "../../../runtime/sandbox/process_sandbox.ts";
import type { SandboxMode } from "../../../runtime/sandbox/sandbox_rules.ts";
import { findSandbox } from "../../../runtime/sandbox/sandbox_support.ts";

const SUPPORT = await findSandbox();

/** For tests that need one: ignored, with the reason on the screen, where the system has none. */
export const IGNORED_WITHOUT_SANDBOX = "problem" in SUPPORT;
if ("problem" in SUPPORT) console.warn(`Tests of the sandbox are ignored: ${SUPPORT.problem}`);

/** For tests of what a program reaches through it. */
export const IGNORED_WITHOUT_BRIDGE = "problem" in SUPPORT ||
  SUPPORT.bubblewrap.bridge === undefined;

/** What the system has. */
export function systemBubblewrap(): Bubblewrap {
  if ("problem" in SUPPORT) throw new Error(SUPPORT.problem);
  return SUPPORT.bubblewrap;
}

/** Starts programs as they are. */
export function noSandbox(): ProcessSandbox {
  return new ProcessSandbox({ mode: () => "off", home: "/" });
}

/** Refuses what it cannot put into a sandbox, unless another mode is wanted. */
export function systemSandbox(home: string, mode: SandboxMode = "required"): ProcessSandbox {
  return new ProcessSandbox({ mode: () => mode, home, find: () => Promise.resolve(SUPPORT) });
}
