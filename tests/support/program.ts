// The command of the program that tests and benchmarks start: the sources, or the bundle named by INKLING_TEST_BUNDLE,
// which a run of the whole suite builds.
import { sourceCommand } from "../../cli/self_command.ts";
import { REPOSITORY } from "./repository.ts";

/** Returns the command that starts the program, with its permission flags. */
export function programCommand(flags?: readonly string[]): string[] {
  const bundle = Deno.env.get("INKLING_TEST_BUNDLE");
  const command = sourceCommand(flags);
  if (bundle === undefined) return command;
  // The permission flags contain the repository's path, too.
  return command.map((part) =>
    part.replaceAll(REPOSITORY, bundle).replace(`${bundle}/main.ts`, `${bundle}/main.js`)
  );
}
