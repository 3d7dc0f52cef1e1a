// The program that tests and benchmarks start as a process: the sources, or the bundle that a benchmark made of them.
import { sourceCommand } from "../../cli/self_command.ts";
import { REPOSITORY } from "./repository.ts";

/** The program and its first arguments, with all of its permission flags. */
export function programCommand(flags?: readonly string[]): string[] {
  const bundle = Deno.env.get("INKLING_TEST_BUNDLE");
  const command = sourceCommand(flags);
  if (bundle === undefined) return command;
  // Also where flags open the sources.
  return command.map((part) =>
    part.replaceAll(REPOSITORY, bundle).replace(`${bundle}/main.ts`, `${bundle}/main.js`)
  );
}
