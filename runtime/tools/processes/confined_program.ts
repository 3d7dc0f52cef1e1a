// Puts a tool's program into the sandbox, and turns the sandbox's errors into failures for the model.
import {
  type ProcessSandbox,
  ProgramMissing,
  SandboxMissing,
} from "../../sandbox/process_sandbox.ts";
import {
  type SandboxedProgram,
  type SandboxRules,
  TooMuchToLookThrough,
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
    if (error instanceof SandboxMissing) throw new ToolFailure(error.message, { cause: error });
    if (error instanceof ProgramMissing) {
      throw new ToolFailure(`Cannot start ${program.program}: it is not installed.`, {
        cause: error,
      });
    }
    if (error instanceof TooMuchToLookThrough) {
      throw new ToolFailure(`Cannot start ${program.program}: ${error.message}.`, { cause: error });
    }
    throw error;
  }
}
