// A tool's program, put into the sandbox; what keeps it from starting is told to the model.
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
import { ToolFailure } from "../tool_failure.ts";

/** See ProcessSandbox.confine. Throws ToolFailure in place of its errors. */
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
