// The program that tests start as a process: the built one, or the sources.
import { sourceCommand } from "../../cli/self_command.ts";
import { REPOSITORY } from "./repository.ts";

/** The folder of the built program, or undefined where tests start the sources. */
export function builtProgram(): string | undefined {
  return Deno.env.get("INKLING_TEST_BUNDLE");
}

/** Program and first arguments, under Deno's flags: all that it may ever need. */
export function programCommand(flags?: readonly string[]): string[] {
  const bundle = builtProgram();
  const command = sourceCommand(flags);
  return bundle === undefined ? command : bundledCommand(command, bundle);
}

/** The same command with the bundle in the place of the sources, also where flags open them. */
export function bundledCommand(command: readonly string[], bundle: string): string[] {
  return command.map((part) =>
    part.replaceAll(REPOSITORY, bundle).replace(`${bundle}/main.ts`, `${bundle}/main.js`)
  );
}
