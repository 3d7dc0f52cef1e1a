// Copies a folder of examples/ into a temporary workspace with a scripted model.
import { dirname, join, relative } from "node:path";
import { createTestWorkspace, type TestWorkspace } from "../support/test_workspace.ts";
import { filesBelow, REPOSITORY } from "../support/repository.ts";

/** The path of the folder examples/. */
export const EXAMPLES = join(REPOSITORY, "examples");

/** Returns the names of the examples. */
export function exampleNames(): string[] {
  return [...Deno.readDirSync(EXAMPLES)].filter(({ isDirectory }) => isDirectory)
    .map(({ name }) => name).sort();
}

/** Returns the paths of an example's files, relative to its folder. */
export function exampleFiles(name: string): string[] {
  const folder = join(EXAMPLES, name);
  return filesBelow(folder).map((path) => relative(folder, path)).sort();
}

/** Copies an example into a folder. */
export async function copyExample(name: string, folder: string): Promise<void> {
  for (const file of exampleFiles(name)) {
    const target = join(folder, file);
    await Deno.mkdir(dirname(target), { recursive: true });
    await Deno.copyFile(join(EXAMPLES, name, file), target);
    const past = new Date(Date.now() - 1_000);
    await Deno.utime(target, past, past);
  }
}

/** Creates a workspace with the files of an example. Its agents use a model of the provider `demo`. */
export async function createExampleWorkspace(
  name: string,
  { model = "report" } = {},
): Promise<TestWorkspace> {
  const place = await createTestWorkspace();
  const config = [
    `workspace: ${place.workspace}`,
    "defaults:",
    "  provider: demo",
    `  model: ${model}`,
    // The guards are those that `inkling setup` writes.
    "  confirm_tools: [file_delete, file_write, file_edit, file_move]",
    "  mcp_confirm: writes",
    "",
  ].join("\n");
  await Deno.writeTextFile(join(place.configDir, "config.yaml"), config);
  await copyExample(name, place.workspace);
  return place;
}
