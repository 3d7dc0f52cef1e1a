// Creates sandboxes for tests: the system's sandbox, or none.
import type { Bubblewrap } from "../../../runtime/sandbox/bubblewrap.ts";
import { ProcessSandbox } from "../../../runtime/sandbox/process_sandbox.ts";
import type { SandboxMode } from "../../../runtime/sandbox/sandbox_rules.ts";
import { findSandbox } from "../../../runtime/sandbox/sandbox_support.ts";

const SUPPORT = await findSandbox();

/** True if the system has no sandbox, so that tests of the sandbox are ignored. The reason is printed. */
export const IGNORED_WITHOUT_SANDBOX = "problem" in SUPPORT;
if ("problem" in SUPPORT) console.warn(`Tests of the sandbox are ignored: ${SUPPORT.problem}`);

/**
 * True if tests of the network hosts that a sandboxed program may reach are ignored, because the sandbox or socat is
 * missing.
 */
export const IGNORED_WITHOUT_BRIDGE = "problem" in SUPPORT ||
  SUPPORT.bubblewrap.bridge === undefined;

/** Returns the system's bubblewrap. */
export function systemBubblewrap(): Bubblewrap {
  if ("problem" in SUPPORT) throw new Error(SUPPORT.problem);
  return SUPPORT.bubblewrap;
}

/** Returns a sandbox that starts programs unconfined. */
export function noSandbox(): ProcessSandbox {
  return new ProcessSandbox({ mode: () => "off", home: "/" });
}

/** Returns the system's sandbox. By default it refuses programs that it cannot confine. */
export function systemSandbox(home: string, mode: SandboxMode = "required"): ProcessSandbox {
  return new ProcessSandbox({ mode: () => mode, home, find: () => Promise.resolve(SUPPORT) });
}
