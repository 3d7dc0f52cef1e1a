// Tests of the contents of an executable with a minimal program. The runtime image is fake, so the executable is read and
// not started. `deno task trial` tests a real executable with the whole program.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { requireWorking } from "../../release/executable.ts";
import { GALLERY, LEGAL_FILES, MAIN, VERSION, WORKERS } from "../../release/product.ts";
import { missingImageReason } from "../../release/runtime_image.ts";
import { createTempDir } from "../support/temp_dir.ts";
import { checkMetadata, imageStandIn, readEmbeddedProgram } from "./embedded_program.ts";
import { IMAGE_MISSING, runCompile, runReleaseTask } from "./task_run.ts";

/** A file of the gallery. */
const AGENT = `${GALLERY}/agents/one.md`;

/** Writes a minimal program with every file that `deno task compile` names. Returns its folder. */
async function writeProgram(folder: string): Promise<string> {
  const directory = join(folder, "program");
  for (const file of [MAIN, ...WORKERS, ...LEGAL_FILES, AGENT]) {
    await Deno.mkdir(dirname(join(directory, file)), { recursive: true });
    await Deno.writeTextFile(join(directory, file), "");
  }
  const main =
    'import json from "./deno.json" with { type: "json" };\nconsole.log(json.version);\n';
  await Deno.writeTextFile(join(directory, MAIN), main);
  const settings = { version: "1.2.3", lock: false, workspace: [] };
  await Deno.writeTextFile(join(directory, "deno.json"), JSON.stringify(settings));
  return directory;
}

Deno.test("compileExecutable() embeds exactly the named permissions and every worker", async () => {
  await using folder = await createTempDir();
  const image = join(folder.path, "image");
  await Deno.writeFile(image, imageStandIn());
  const output = join(folder.path, "inkling");
  const run = await runCompile(await writeProgram(folder.path), output, {
    DENORT_BIN: image,
    OTEL_DENO: "true",
  });
  assert.equal(run.code, 0, run.stderr);
  const { metadata, files } = await readEmbeddedProgram(output);
  checkMetadata(metadata);
  assert.deepEqual(
    [...files.keys()].sort(),
    ["deno.json", MAIN, ...WORKERS, ...LEGAL_FILES, AGENT].sort(),
  );
});

Deno.test("compileExecutable() reports in one sentence that the runtime image is unavailable", async () => {
  await using folder = await createTempDir();
  const cache = join(folder.path, "cache");
  const nowhere = "http://127.0.0.1:1";
  const run = await runCompile(await writeProgram(folder.path), join(folder.path, "inkling"), {
    DENO_DIR: cache,
    ...{ HTTPS_PROXY: nowhere, https_proxy: nowhere, NO_PROXY: "", no_proxy: "" },
  });
  assert.equal(run.code, 69, run.stderr);
  assert.match(run.stderr, IMAGE_MISSING);
  assert.deepEqual([...Deno.readDirSync(folder.path)].map(({ name }) => name).sort(), [
    "cache",
    "program",
  ]);
});

Deno.test("deno task compile refuses a machine without a runtime image", async () => {
  const machine = await runReleaseTask("compile", ["--target", "sparc-sun-solaris"]);
  assert.equal(machine.code, 1);
  assert.match(machine.stderr, /no executables for sparc-sun-solaris, only for x86_64-unknown/);
});

Deno.test("missingImageReason() distinguishes a missing image from every other failure", () => {
  const missing = "error: Writing deno compile executable to temporary file '/x'\n\nCaused by:\n" +
    "    0: Setting up base binary.\n    1: error sending request\n    2: dns error\n\n" +
    "Stack backtrace:\n   0: <unknown>\n";
  assert.equal(missingImageReason(missing), "dns error");
  assert.equal(
    missingImageReason("error: Setting up base binary.\n"),
    "for no reason that Deno tells",
  );
  assert.equal(
    missingImageReason(missing.replace("Setting up base binary", "Writing bytes")),
    undefined,
  );
});

Deno.test("requireWorking() accepts only an executable that prints the version", async () => {
  await using folder = await createTempDir();
  const cases: [script: string, refusal: RegExp | undefined][] = [
    [`[ "$1" = --version ] && echo ${VERSION}`, undefined],
    ["echo 99.0.0", /does not work: asked for its version, .*, it says 99\.0\.0/],
    [`echo ${VERSION}; exit 1`, /does not work/],
    ["echo 'no such library' >&2; exit 127", /it says no such library/],
  ];
  for (const [index, [script, refusal]] of cases.entries()) {
    const path = join(folder.path, `program${index}`);
    await Deno.writeTextFile(path, `#!/bin/sh\n${script}\n`);
    await Deno.chmod(path, 0o755);
    if (refusal === undefined) await requireWorking(path);
    else await assert.rejects(requireWorking(path), { message: refusal });
  }
  await Deno.writeFile(join(folder.path, "none"), imageStandIn());
  await Deno.chmod(join(folder.path, "none"), 0o755);
  await assert.rejects(requireWorking(join(folder.path, "none")), /does not (start|work)/);
});
