// `deno task test`: runs all tests, or those in the named files and folders, and prints one line for each file.
import { parseArgs } from "node:util";
import { findTestFiles, groupFiles, writeGroups } from "./groups.ts";
import { createReport } from "./report.ts";
import { runTests } from "./run_tests.ts";
import { startShared } from "./shared_server.ts";

const USAGE = `deno task test [files and folders]
  --filter <text>   run the tests whose name contains the text, or matches /an expression/
  --fail-fast       stop after the first failure
  --jobs <number>   run so many groups of files at once (default: three for each processor)
  --postgres        store everything in PostgreSQL
  --update, -u      write the snapshots of these tests anew
  --junit-path <f>  write the results as JUnit, too`;

/**
 * The variables of this machine that the tests and the programs that they start get. Deno needs the certificates and the
 * proxies to download packages.
 */
const KEPT_VARIABLES =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|XDG_CACHE_HOME|LD_LIBRARY_PATH|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|HTTPS?_PROXY|(DENO|INKLING_TEST|npm_config)_.+)$/i;

let options;
try {
  options = parseArgs({
    args: Deno.args,
    allowPositionals: true,
    options: {
      filter: { type: "string" },
      "fail-fast": { type: "boolean" },
      jobs: { type: "string" },
      postgres: { type: "boolean" },
      update: { type: "boolean", short: "u" },
      "junit-path": { type: "string" },
      help: { type: "boolean" },
    },
  });
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
  Deno.exit(2);
}
const { values, positionals } = options;
if (values.help) {
  console.log(USAGE);
  Deno.exit(0);
}
let files;
try {
  files = findTestFiles(positionals.length === 0 ? ["tests"] : positionals);
} catch (error) {
  console.error(
    `${error instanceof Error ? error.message : error}. Name files or folders below tests/.`,
  );
  Deno.exit(2);
}
const { filter } = values;
// Other variables, such as TZ, PGSSLMODE or XDG_CONFIG_HOME, would change what programs do on this machine.
for (const name of Object.keys(Deno.env.toObject())) {
  if (!KEPT_VARIABLES.test(name)) Deno.env.delete(name);
}
// Not `localhost`: openHttpClient() hides the variable from Deno while it opens a client of a socket, and test files that
// run as threads of one process would put it back too early. Such a client would send its requests over TCP.
Deno.env.set("NO_PROXY", "127.0.0.1,::1");
// The path of a socket in a temporary folder is limited to 104 bytes, and on macOS the default folder has a long path.
Deno.env.set("TMPDIR", "/tmp");
const groups = groupFiles(files, { filter });
const report = createReport({ groups, print: (line) => console.log(line) });
const folder = await Deno.makeTempDir({ prefix: "inkling-suite-" });
try {
  // The build takes longer than the starts of a few files save. A coverage run measures the sources.
  const usesBundle = positionals.length === 0 && filter === undefined &&
    !Deno.env.has("DENO_COVERAGE_DIR");
  if (usesBundle) console.log("Building the package that the tests start ...");
  await using program = usesBundle
    ? await (await import("./shared_program.ts")).buildShared(folder)
    : undefined;
  await using shared = await startShared(files, { postgres: values.postgres ?? false });
  const code = await runTests({
    modules: await writeGroups(groups, folder),
    args: [
      ...(filter === undefined ? [] : ["--filter", filter]),
      ...(values["fail-fast"] ? ["--fail-fast"] : []),
      ...(values.update ? ["-u"] : []),
      ...(values["junit-path"] === undefined ? [] : [`--junit-path=${values["junit-path"]}`]),
    ],
    env: { ...shared.env, ...program?.env },
    jobs: values.jobs,
    onLine: (line) => report.read(line),
  });
  report.finish();
  Deno.exitCode = code;
} finally {
  await Deno.remove(folder, { recursive: true });
}
