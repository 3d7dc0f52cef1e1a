// Opens the output schema of an agent and checks answers. A check that may take long is finished in a separate process.
import {
  type AgentOutput,
  OutputSchemaUnusable,
  readOutputSchema,
} from "../agents/output_schema.ts";
import type { Clock } from "../../base/clock.ts";
import type { WorkspaceSettings } from "../config/settings.ts";
import type { AnswerFormat } from "../executions/loop/run_ports.ts";
import { Redactor } from "../secrets/redactor.ts";
import { ownProgram } from "../tools/custom/host_program.ts";
import { findAnswerFaults } from "../tools/custom/whole_check.ts";
import { ToolFailure } from "../tools/failures/tool_failure.ts";
import { compileAnswerCheck } from "../tools/json_schema/answer_check.ts";

/** Redacts nothing: the process prints no text for people, and its results are redacted later. */
const NO_SECRETS = new Redactor(() => []);

/** Reads and compiles an agent's output schema. Throws OutputSchemaUnusable. */
export async function openAnswerFormat(
  output: AgentOutput,
  { settings, clock, executable }: {
    settings: WorkspaceSettings;
    clock: Clock;
    executable: string;
  },
): Promise<AnswerFormat | undefined> {
  const { directories } = settings;
  const schema = await readOutputSchema(output, directories);
  if (schema === undefined) return undefined;
  const { findFaults, isPartial } = await compileAnswerCheck(schema);
  return {
    schema,
    async findFaults(answer, { signal }) {
      const faults = findFaults(answer);
      if (faults.length > 0 || !isPartial(answer)) return faults;
      try {
        return await findAnswerFaults(
          { schema, answer },
          { signal, clock, redactor: NO_SECRETS },
          { program: ownProgram(executable), cwd: directories.workspace },
        );
      } catch (error) {
        if (!(error instanceof ToolFailure)) throw error;
        const message = `The answer cannot be checked against output.schema: ${error.message}`;
        throw new OutputSchemaUnusable(message, { cause: error });
      }
    },
  };
}
