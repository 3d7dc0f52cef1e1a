// Runs `deno test` with the permissions of test files.
import { REPOSITORY, TEST_PERMISSIONS } from "../support/repository.ts";

/** The options of one run of Deno's test command. */
export interface TestRun {
  /** Absolute paths of the modules with tests. */
  modules: readonly string[];
  /** Further arguments for `deno test`. */
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /**
   * The number of modules that run at once. Default: three for each processor, because many tests wait for timers and other
   * processes.
   */
  jobs?: string | undefined;
  /** Called for each line of standard output or standard error, without colors. */
  onLine: (line: string) => void;
  /** The run is interrupted if Deno prints no further line for so long. Default: three minutes, with coverage fifteen. */
  silenceMs?: number;
}

/** The exit code of `deno test` after an interrupt. */
const INTERRUPTED = 130;
/** A run that collects coverage prints nothing while Deno writes what each thread has run, which takes minutes. */
const SILENCE_MS = Deno.env.has("DENO_COVERAGE_DIR") ? 900_000 : 180_000;
/** Matches the line that Deno repeats each minute for a slow test. It is no sign of progress. */
const SLOW = /^'.*' has been running for over \(/;

// deno-lint-ignore no-control-regex -- color sequences begin with a control character
const COLOR = /\x1b\[[\d;]*m/g;

/**
 * Runs test modules, each in a thread. Returns the exit code of `deno test`. Interrupts a run in which a test hangs after
 * the other tests have ended. Deno then prints the tests that were running.
 */
export async function runTests(
  { modules, args, env, jobs, onLine, silenceMs = SILENCE_MS }: TestRun,
): Promise<number> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["test", "--config", "tests/deno.json", "--parallel", "--no-check"],
      // `deno task coverage` merges the raw data of all runs itself.
      ...(Deno.env.has("DENO_COVERAGE_DIR") ? ["--coverage-raw-data-only"] : []),
      ...[...TEST_PERMISSIONS, ...args, ...modules],
    ],
    cwd: REPOSITORY,
    env: {
      DENO_JOBS: jobs ?? Deno.env.get("DENO_JOBS") ?? `${3 * navigator.hardwareConcurrency}`,
      // Read by tests/support/test_workspace.ts.
      INKLING_TEST_NO_SYNC: "1",
      ...env,
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const interrupt = () => {
    onLine(`No test has ended for ${silenceMs / 1_000} s, so the run is interrupted.`);
    child.kill("SIGINT");
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const read = (line: string) => {
    if (!isOver && !SLOW.test(line)) {
      clearTimeout(timer);
      timer = setTimeout(interrupt, silenceMs);
    }
    onLine(line);
  };
  const ends = [readLines(child.stdout, read), readLines(child.stderr, read)];
  const { code } = await child.status;
  isOver = true;
  clearTimeout(timer);
  // Processes of the interrupted tests may hold the pipes open.
  if (code !== INTERRUPTED) await Promise.all(ends);
  return code;
}

async function readLines(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  onLine: (line: string) => void,
): Promise<void> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onLine(line.replace(COLOR, ""));
  }
  if (rest !== "") onLine(rest.replace(COLOR, ""));
}
