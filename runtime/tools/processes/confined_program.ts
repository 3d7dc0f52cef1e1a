// Puts a tool's program into the sandbox, and turns the sandbox's errors into failures for the model.
import type { ProcessSandbox } from "../../sandbox/process_sandbox.ts";
import {
  type SandboxedProgram,
  SandboxFailure,
  type SandboxRules,
} from "../../sandbox/sandbox_rules.ts";
import { ToolFailure } from "../failures/tool_failure.ts";

/** Does the same as ProcessSandbox.confine, but throws ToolFailure instead of the sandbox's errors. */
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
