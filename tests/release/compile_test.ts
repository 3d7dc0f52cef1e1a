// What an executable holds. The runtime image is a stand-in, so it cannot be started; what is in it can be read.
import assert from "node:assert/strict";
import { join } from "node:path";
import { PERMISSION_FLAGS } from "../../cli/self_command.ts";
import { requireWorking } from "../../release/executable.ts";
import { imageTrouble } from "../../release/runtime_image.ts";
import { shippedFiles, WORKERS } from "../../release/shipped_files.ts";
import { VERSION } from "../../release/product.ts";
import denoJson from "../../deno.json" with { type: "json" };
import testsJson from "../deno.json" with { type: "json" };
import { denoDirectory, REPOSITORY } from "../support/repository.ts";
import { type EmbeddedProgram, imageStandIn, readEmbeddedProgram } from "./embedded_program.ts";
import { openTempFolder, runReleaseTask } from "./task_run.ts";

/** Of a machine that is not this one: what is made for this one is tried at once. */
const FOREIGN = Deno.build.arch === "x86_64"
  ? "aarch64-unknown-linux-gnu"
  : "x86_64-unknown-linux-gnu";

async function compileStandIn(folder: string): Promise<EmbeddedProgram> {
  const image = join(folder, "image");
  await Deno.writeFile(image, imageStandIn());
  const output = join(folder, "inkling");
  const args = ["--target", FOREIGN, "--output", output, "--address", "https://example.org/new"];
  // The surroundings of whoever compiles leave no trace: telemetry would be on for good.
  const run = await runReleaseTask("compile", args, { DENORT_BIN: image, OTEL_DENO: "true" });
  assert.equal(run.code, 0, run.stderr);
  assert.equal(run.stdout, `${output}\n`);
  return await readEmbeddedProgram(output);
}

/** `zod` of `zod/v4`, `@x/y` of `@x/y/z`. */
const packageOf = (specifier: string) =>
  specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/");

Deno.test("deno task compile embeds all that runs, nothing that tests, and exactly the permissions named", async (t) => {
  await using folder = await openTempFolder();
  const { metadata, files, times } = await compileStandIn(folder.path);
  const own = await shippedFiles();

  await t.step("every module that an import leads to, however late, and every worker", () => {
    assert.ok(own.length > 300, `${own.length} files`);
    assert.ok(WORKERS.every((worker) => own.includes(worker)));
    assert.deepEqual(own.filter((file) => !files.has(file)), []);
    assert.equal(metadata.entrypoint_key, "main.ts");
    assert.equal(metadata.unstable_config.lazy_dynamic_imports, false);
  });

  await t.step("the assets, byte by byte", async () => {
    const assets = own.filter((file) => !file.endsWith(".ts"));
    assert.ok(assets.some((file) => file.startsWith("server/docs_assets/")));
    for (const file of assets) {
      assert.equal(files.get(file), await Deno.readTextFile(join(REPOSITORY, file)), file);
    }
  });

  await t.step("every package of deno.json with its code, the price table among them", () => {
    for (const name of Object.keys(denoJson.imports)) {
      const inside = [...files.keys()].filter((file) => file.startsWith(`node_modules/${name}/`));
      assert.ok(inside.includes(`node_modules/${name}/package.json`), name);
      assert.ok(inside.some((file) => /\.(js|mjs|cjs)$/.test(file)), name);
    }
    const prices = [...files].filter(([file]) => file.includes("/genai-prices/"));
    assert.ok(prices.some(([, content]) => content.includes("claude-")));
  });

  await t.step("no test, no tool, no package of tests, no types", () => {
    const testsOnly = Object.keys(testsJson.imports)
      .filter((name) => !(name in denoJson.imports)).map(packageOf);
    assert.ok(testsOnly.includes("fast-check"));
    const strangers = [...files.keys()].filter((file) =>
      /^(tests|release|demo|scoped|docs)\//.test(file) ||
      file.startsWith("server/dashboard/client/") ||
      /^node_modules\/.*\.(ts|mts|cts|map)$/.test(file) ||
      file.startsWith("node_modules/@types/") ||
      testsOnly.some((name) => file.startsWith(`node_modules/${name}/`))
    );
    assert.deepEqual(strangers, []);
  });

  await t.step("the version, the name, the licences and the release address", () => {
    assert.equal(JSON.parse(files.get("deno.json") ?? "{}").version, VERSION);
    assert.equal(metadata.app_name, "inkling");
    assert.match(files.get("THIRD_PARTY_LICENSES.txt") ?? "", /zod \d/);
    const address = files.get("cli/update/release_address.ts") ?? "";
    assert.match(address, /const BUILT_IN: .* = "https:\/\/example\.org\/new\/";/);
  });

  await t.step("permissions: those of PERMISSION_FLAGS, and no code from the network", () => {
    const given = Object.entries(metadata.permissions)
      .filter(([kind, value]) => kind.startsWith("allow_") && Array.isArray(value))
      .map(([kind]) => `--${kind.replace("_", "-")}`);
    // Deno writes its list of hosts for imports down; the denial wins.
    assert.deepEqual(
      given.filter((flag) => flag !== "--allow-import").sort(),
      PERMISSION_FLAGS.filter((flag) => flag.startsWith("--allow-")).sort(),
    );
    assert.deepEqual(metadata.permissions["deny_import"], []);
    assert.equal(metadata.permissions["prompt"], false);
    assert.deepEqual(metadata.unstable_config.features, ["worker-options"]);
  });

  await t.step(
    "nothing of whoever compiled it: no cache in a shared folder, no telemetry",
    async () => {
      assert.equal(metadata.code_cache_key, null);
      // Whoever compiles the same sources gets the same bytes.
      assert.deepEqual([...times], [Date.UTC(2000, 0)]);
      assert.equal(metadata.otel_config.tracing_enabled, false);
      assert.equal(metadata.otel_config.metrics_enabled, false);
      const bytes = await Deno.readTextFile(join(folder.path, "inkling"));
      assert.ok(!bytes.includes(REPOSITORY), "the place of the sources is in it");
      assert.ok(!bytes.includes("inkling-stage-"), "the place where it was made is in it");
    },
  );
});

Deno.test("deno task compile says in one sentence that the runtime image cannot be had, and leaves what was there", async () => {
  await using folder = await openTempFolder();
  const output = join(folder.path, "inkling");
  await Deno.writeTextFile(output, "an older one");
  // Packages are at hand, an image is not.
  const cache = join(folder.path, "cache");
  await Deno.mkdir(cache);
  await Deno.symlink(join(denoDirectory(), "npm"), join(cache, "npm"));
  const nowhere = "http://127.0.0.1:1";
  const run = await runReleaseTask("compile", ["--target", FOREIGN, "--output", output], {
    DENO_DIR: cache,
    ...{ HTTPS_PROXY: nowhere, https_proxy: nowhere, NO_PROXY: "", no_proxy: "" },
  });
  assert.equal(run.code, 69, run.stderr);
  assert.match(
    run.stderr,
    new RegExp(
      `^No executable for ${FOREIGN}: Deno's runtime image \\S+ cannot be downloaded \\(.+\\); .*\n$`,
    ),
  );
  assert.equal(await Deno.readTextFile(output), "an older one");
  const left = [...Deno.readDirSync(folder.path)].map(({ name }) => name).sort();
  assert.deepEqual(left, ["cache", "inkling"]);
});

Deno.test("deno task compile refuses machines and flags that there are none of", async () => {
  const machine = await runReleaseTask("compile", ["--target", "sparc-sun-solaris"]);
  assert.equal(machine.code, 1);
  assert.match(machine.stderr, /no executables for sparc-sun-solaris, only for x86_64-unknown/);
  const flag = await runReleaseTask("compile", ["--fast"]);
  assert.equal(flag.code, 2);
});

Deno.test("imageTrouble() tells a missing image from every other failure", () => {
  const missing = "error: Writing deno compile executable to temporary file '/x'\n\nCaused by:\n" +
    "    0: Setting up base binary.\n    1: error sending request\n    2: dns error\n\n" +
    "Stack backtrace:\n   0: <unknown>\n";
  assert.equal(imageTrouble(missing), "dns error");
  assert.equal(imageTrouble("error: Setting up base binary.\n"), "for no reason that Deno tells");
  assert.equal(imageTrouble(missing.replace("Setting up base binary", "Writing bytes")), undefined);
});

Deno.test("requireWorking() lets an executable pass that answers with the version, and no other", async () => {
  await using folder = await openTempFolder();
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
