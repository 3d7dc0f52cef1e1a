// `inkling schema`: prints the JSON Schema of a file that people write.
import { performs } from "../../command_line/command.ts";
import type { schema } from "../../declarations/authoring_commands.ts";

/** Prints the schema as JSON, which an editor reads. */
export const perform = performs<typeof schema>(async ({ app, output }, _options, { file }) => {
  output.stdout.write(`${JSON.stringify(await app.fileSchema(file), undefined, 2)}\n`);
});
