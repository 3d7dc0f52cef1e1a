// Starts a tool's program in the sandbox, and converts errors of the sandbox to failures for the model.
import type { ProcessSandbox } from "../../sandbox/process_sandbox.ts";
import {
  type SandboxedProgram,
  SandboxFailure,
  type SandboxRules,
} from "../../sandbox/sandbox_rules.ts";
import { ToolFailure } from "../failures/tool_failure.ts";

/**
 * Returns the command that runs the program in the sandbox, like ProcessSandbox.confine(). Throws ToolFailure instead of
 * SandboxFailure.
 */
export async function confineProgram(
  sandbox: ProcessSandbox,
  program: SandboxedProgram,
  rules: SandboxRules,
): Promise<SandboxedProgram> {
  try {
    return await sandbox.confine(program, rules);
  } catch (error) {
    if (!(error instanceof SandboxFailure)) throw error;
    const message = error.kind === "no_sandbox"
      ? error.message
      : `Cannot start ${program.program}: ${error.message}.`;
    throw new ToolFailure(message, { cause: error });
  }
}
