// Checks the contents of an executable from `deno task compile`. Its runtime image is fake, so the file is read but not
// started.
import assert from "node:assert/strict";
import { join, relative } from "node:path";
import { LEGAL_FILES, MAIN, VERSION, WORKERS } from "../../release/product.ts";
import { openStage } from "../../release/stage.ts";
import {
  checkMetadata,
  type EmbeddedProgram,
  imageStandIn,
  readEmbeddedProgram,
} from "../../tests/release/embedded_program.ts";
import { FOREIGN_TARGET, IMAGE_MISSING, runReleaseTask } from "../../tests/release/task_run.ts";
import { denoDirectory, filesBelow, REPOSITORY } from "../../tests/support/repository.ts";
import { createTempDir } from "../../tests/support/temp_dir.ts";
import { step } from "./step.ts";

const ADDRESS = "https://example.org/new/";

/**
 * Builds an executable and checks its contents, then builds without an available runtime image and checks the error.
 * Rejects if a check fails.
 */
export async function tryExecutable(): Promise<void> {
  await using folder = await createTempDir();
  const output = join(folder.path, "inkling");
  const program = await step("compiled with a stand-in for the image", () => compile(output));
  checkMetadata(program.metadata);
  await checkFiles(program);
  await checkTraces(program, output);
  console.log(`${program.files.size} files are in it, all that run and no others`);
  await step("reports a missing image", () => compileWithoutImage(folder.path, output));
}

async function compile(output: string): Promise<EmbeddedProgram> {
  const image = `${output}.image`;
  await Deno.writeFile(image, imageStandIn());
  const args = ["--target", FOREIGN_TARGET, "--output", output];
  const address = ["--address", ADDRESS];
  // The builder's environment must not end up in the executable: OTEL_DENO would turn telemetry on for every user.
  const env = { DENORT_BIN: image, OTEL_DENO: "true" };
  const run = await runReleaseTask("compile", [...args, ...address], env);
  assert.equal(run.code, 0, run.stderr);
  assert.equal(run.stdout, `${output}\n`);
  await Deno.remove(image);
  return await readEmbeddedProgram(output);
}

/**
 * Writes the shipped program to a folder once more (openStage), and compares this folder with the executable. Both contain
 * the same files with the same bytes, except two files that Deno stores in other parts of the executable.
 */
async function checkFiles({ files, metadata }: EmbeddedProgram): Promise<void> {
  await using stage = await openStage({ address: ADDRESS });
  const own = filesBelow(stage.directory).map((file) => relative(stage.directory, file)).sort();
  assert.ok(own.length > 100, `${own.length} files`);
  assert.ok([MAIN, ...WORKERS, ...LEGAL_FILES].every((file) => own.includes(file)));
  // Deno stores its settings and the main module's source map in other parts of the executable.
  const isElsewhere = (file: string) => ["deno.json", "main.js.map"].includes(file);
  const inside = [...files.keys()].filter((file) => !isElsewhere(file)).sort();
  assert.deepEqual(inside, own.filter((file) => !isElsewhere(file)));
  for (const file of own.filter((one) => files.has(one))) {
    assert.equal(files.get(file), await Deno.readTextFile(join(stage.directory, file)), file);
  }
  assert.equal(metadata.unstable_config.lazy_dynamic_imports, false);
  const all = [...files.values()].join("\n");
  for (const part of ["claude-", ADDRESS, "Redoc", "SwaggerUIBundle"]) {
    assert.ok(all.includes(part), part);
  }
  assert.match(files.get(MAIN) ?? "", new RegExp(`"version":"${VERSION}"`));
  assert.match(files.get("THIRD_PARTY_LICENSES.txt") ?? "", /zod \d/);
}

/**
 * Checks that the executable does not contain the path of its build folder, because equal sources must give equal bytes.
 */
async function checkTraces({ times }: EmbeddedProgram, output: string): Promise<void> {
  assert.deepEqual([...times], [Date.UTC(2000, 0)]);
  const bytes = await Deno.readTextFile(output);
  assert.ok(!bytes.includes(REPOSITORY), "the place of the sources is in it");
  assert.ok(!bytes.includes("inkling-stage-"), "the place where it was made is in it");
}

async function compileWithoutImage(folder: string, output: string): Promise<void> {
  await Deno.writeTextFile(output, "an older one");
  // This cache contains the packages but no runtime image.
  const cache = join(folder, "cache");
  await Deno.mkdir(cache);
  await Deno.symlink(join(denoDirectory(), "npm"), join(cache, "npm"));
  const nowhere = "http://127.0.0.1:1";
  const run = await runReleaseTask("compile", ["--target", FOREIGN_TARGET, "--output", output], {
    DENO_DIR: cache,
    ...{ HTTPS_PROXY: nowhere, https_proxy: nowhere, NO_PROXY: "", no_proxy: "" },
  });
  assert.equal(run.code, 69, run.stderr);
  assert.match(run.stderr, IMAGE_MISSING);
  assert.equal(await Deno.readTextFile(output), "an older one");
  const left = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
  assert.deepEqual(left, ["cache", "inkling"]);
}
