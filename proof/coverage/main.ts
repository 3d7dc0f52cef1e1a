// `deno task coverage`: runs the tests and lists the lines of runtime/ and server/ that no test ran. Child processes of
// tests count, too, unless they are killed. Exits with 1 below 90 % or when a test fails. Arguments: files or folders below
// tests/ (default: all tests), and --folder, which keeps the profiles and adds the profiles of earlier runs of the same
// sources.
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { reportCoverage } from "./coverage_report.ts";
import { countLines, profileTests } from "./profiles.ts";

const { values, positionals } = parseArgs({
  args: Deno.args,
  allowPositionals: true,
  options: { folder: { type: "string" } },
});
const tests = positionals.length === 0 ? ["tests/"] : positionals.map((word) => `tests/${word}`);
const folder = values.folder === undefined
  ? await Deno.makeTempDir({ prefix: "inkling-coverage-" })
  : resolve(values.folder);
try {
  const failure = await profileTests(tests, folder);
  if (failure !== undefined) console.error(failure);
  const { text, isEnough } = reportCoverage(await countLines(folder));
  console.log(text);
  if (failure !== undefined) console.error("Not all tests passed: lines may be missing above.");
  if (failure !== undefined || !isEnough) Deno.exitCode = 1;
} finally {
  if (values.folder === undefined) await Deno.remove(folder, { recursive: true });
}
