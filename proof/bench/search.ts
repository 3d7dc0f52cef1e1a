// Compares file_search with ripgrep in one thread, over 10,000 files with 200 MB, in time and in processor time. Measures the
// response time of a service that searches, its memory, and hostile expressions.
import { join } from "node:path";
import { SystemClock } from "../../base/clock.ts";
import { fileSearch } from "../../runtime/tools/builtin/file_search.ts";
import { LinePattern } from "../../runtime/tools/search/line_pattern.ts";
import {
  HOSTILE_EXPRESSIONS,
  HOSTILE_LINES,
} from "../../tests/runtime/tools/search/hostile_expressions.ts";
import {
  call,
  SandboxFixture,
  testContext,
} from "../../tests/runtime/tools/files/sandbox_fixture.ts";
import process from "node:process";
import { isInstalled } from "../../base/files/installed_program.ts";
import { type Figure, percentile, ratioAtMost, subjectAtMost, timed, toFigure } from "./paired.ts";
import { residentMb } from "../soak/process_table.ts";
import { createTestWorkspace } from "../../tests/support/test_workspace.ts";
import { startModel, startService } from "./server_process.ts";
import { runOnce, writeAgents } from "./service_runs.ts";

const FOLDERS = 100;
const FILES_PER_FOLDER = 100;
const FILE_CHARACTERS = 20_000;
const PAIRS = 5;
/** The number of searches before the memory is measured. */
const SEARCHES = 50;
const WORDS =
  "const let function return import export class await error warning timeout handler request index buffer number order"
    .split(" ");

interface Searched {
  pattern: string;
  literal?: boolean;
}
const LITERALS: readonly Searched[] = [
  { pattern: "needle_in_haystack", literal: true },
  { pattern: "absent_word", literal: true },
];
const EXPRESSIONS: readonly Searched[] = [
  { pattern: "needle_\\w+\\(\\d+" },
  { pattern: "[A-Z]{5,}" },
  { pattern: "function\\s+\\w+_handler" },
  { pattern: "(error|warning).*timeout.*42" },
  { pattern: "TODO|FIXME|HACK" },
  { pattern: "^import .* from" },
];

/** The interval of the requests of /health during the searches of the service. */
const HEALTH_INTERVAL_MS = 5;

/** Returns the figures of searches, compared with ripgrep. Returns none if ripgrep is not installed. */
export async function benchSearch(): Promise<Figure[]> {
  if (!isInstalled("rg", { path: Deno.env.get("PATH"), cwd: Deno.cwd() })) return [];
  await using fixture = await SandboxFixture.open();
  await writeFiles(join(fixture.workspace, "src"));
  const search = async ({ pattern, literal = false }: Searched) =>
    await call(fileSearch, { pattern, literal }, testContext(fixture.sandbox()));
  const ripgrep = async ({ pattern, literal = false }: Searched) => {
    const args = ["-j1", ...literal ? ["-F"] : [], "-e", pattern, fixture.workspace];
    // The shell prints the time of ripgrep, so that the start of the shell does not count.
    const { stderr } = await new Deno.Command("bash", {
      args: ["-c", 'TIMEFORMAT="%R %U %S"; time rg "$@" >/dev/null', "bash", ...args],
      stderr: "piped",
    }).output();
    const [real, user, system] = new TextDecoder().decode(stderr).trim().split(" ").map(Number);
    return { wall: real! * 1_000, cpu: (user! + system!) * 1_000 };
  };
  const figures: Figure[] = [];
  const pauses: number[] = [];
  for (const one of [...LITERALS, ...EXPRESSIONS]) {
    const wall: { floors: number[]; subjects: number[] } = { floors: [], subjects: [] };
    const cpu: typeof wall = { floors: [], subjects: [] };
    for (let pair = -1; pair < PAIRS; pair++) {
      const floor = await ripgrep(one);
      const before = process.cpuUsage();
      wall.subjects.push(await timed(() => search(one)));
      const { user, system } = process.cpuUsage(before);
      cpu.subjects.push((user + system) / 1_000);
      wall.floors.push(floor.wall);
      cpu.floors.push(floor.cpu);
    }
    const others = watchPauses();
    await search(one);
    pauses.push(others.stop());
    const goal = ratioAtMost(one.literal === true ? 3 : 6);
    const name = `file_search of ${one.pattern} in 200 MB, compared with ripgrep`;
    // The first pair warms up and is not counted.
    const counted = ({ floors, subjects }: typeof wall) => ({
      floors: floors.slice(1),
      subjects: subjects.slice(1),
      unit: "ms" as const,
    });
    figures.push(toFigure(name, { ...counted(wall), goal }));
    figures.push(toFigure(`${name}: processor time`, counted(cpu)));
  }
  const worst = (name: string, values: number[], goal: { unit: "ms" | "MB"; bound: number }) =>
    figures.push(toFigure(name, {
      floors: [1],
      subjects: [Math.max(...values)],
      unit: goal.unit,
      goal: subjectAtMost(goal.bound),
    }));
  worst("the longest wait of other work during a search", pauses, { unit: "ms", bound: 50 });
  const { health, addedMb } = await searchInService();
  worst("/health of a service that searches: 99 of 100 take at most", [percentile(health, 0.99)], {
    unit: "ms",
    bound: 50,
  });
  worst(`memory that ${SEARCHES} searches add to the service`, [addedMb], {
    unit: "MB",
    bound: 150,
  });
  const hostile: number[] = [];
  for (const source of HOSTILE_EXPRESSIONS) {
    hostile.push(
      await timed(async () => {
        const pattern = await LinePattern.compile(source, { literal: false, ignoreCase: false });
        for (const line of HOSTILE_LINES) pattern.linesOf(line).next();
      }),
    );
  }
  worst("the slowest of 40 hostile expressions", hostile, { unit: "ms", bound: 1_000 });
  return figures;
}

/** Searches in a service, one search after another. Returns the response times of /health, and the added memory. */
async function searchInService(): Promise<{ health: number[]; addedMb: number }> {
  await using model = await startModel({ call: { name: "file_search", arguments: LITERALS[0] } });
  await using place = await createTestWorkspace();
  await writeAgents(place, model);
  await using service = await startService(place);
  await runOnce(service.url, "asker");
  const idleMb = await residentMb(service.pid);
  await writeFiles(join(place.workspace, "src"));
  // The first search loads modules.
  await runOnce(service.url, "reader");
  const health: number[] = [];
  const clock = new SystemClock();
  for (let count = 1; count < SEARCHES; count++) {
    let isSearching = true;
    const run = runOnce(service.url, "reader").finally(() => isSearching = false);
    while (isSearching) {
      const request = async () => await (await fetch(`${service.url}/health`)).body?.cancel();
      health.push(await timed(request));
      await clock.sleep(HEALTH_INTERVAL_MS);
    }
    await run;
  }
  return { health, addedMb: await residentMb(service.pid) - idleMb };
}

/** Measures the longest time for which a timer that is due has to wait. */
function watchPauses(): { stop(): number } {
  const clock = new SystemClock();
  let longest = 0;
  let isStopped = false;
  const watch = async () => {
    while (!isStopped) longest = Math.max(longest, await timed(() => clock.sleep(1)));
  };
  void watch();
  return {
    stop() {
      isStopped = true;
      return longest;
    },
  };
}

/** Writes files with generated lines. One file in a hundred contains the needle. */
async function writeFiles(folder: string): Promise<void> {
  let seed = 42;
  const random = () => (seed = (seed * 1_664_525 + 1_013_904_223) >>> 0) / 2 ** 32;
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  const lines = Array.from({ length: 5_000 }, () =>
    "  ".repeat(Math.floor(random() * 4)) +
    Array.from({ length: Math.floor(random() * 10) }, () =>
      pick(WORDS) +
      pick([
        " ",
        " ",
        " ",
        " = ",
        "(",
        `_${pick(WORDS)} `,
        ` ${Math.floor(random() * 1e4)} `,
        " é ",
      ]))
      .join(""));
  for (let at = 0; at < FOLDERS; at++) {
    const place = join(folder, `d${at % 10}`, `e${at}`);
    await Deno.mkdir(place, { recursive: true });
    for (let file = 0; file < FILES_PER_FOLDER; file++) {
      const text: string[] = [];
      for (let length = 0; length < FILE_CHARACTERS; length += text.at(-1)!.length + 1) {
        text.push(pick(lines));
      }
      if (file === 0) text.push("needle_in_haystack(42)");
      await Deno.writeTextFile(join(place, `f${file}.ts`), `${text.join("\n")}\n`);
    }
  }
}
