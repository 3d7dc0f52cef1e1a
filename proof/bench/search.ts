// Compares file_search with ripgrep in one thread, over 10,000 files with 200 MB, and measures its hostile expressions.
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
import { isInstalled } from "../../base/files/installed_program.ts";
import {
  comparePaired,
  type Figure,
  ratioAtMost,
  subjectAtMost,
  timed,
  toFigure,
} from "./paired.ts";

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

/** Returns the figures of searches, compared with ripgrep. Returns none if ripgrep is not installed. */
export async function benchSearch(): Promise<Figure[]> {
  if (!isInstalled("rg", { path: Deno.env.get("PATH"), cwd: Deno.cwd() })) return [];
  const residentMb = () => Deno.memoryUsage().rss / 1024 / 1024;
  const idleMb = residentMb();
  await using fixture = await SandboxFixture.open();
  await writeFiles(join(fixture.workspace, "src"));
  const search = async ({ pattern, literal = false }: Searched) =>
    await call(fileSearch, { pattern, literal }, testContext(fixture.sandbox()));
  const ripgrep = async ({ pattern, literal = false }: Searched) =>
    await new Deno.Command("rg", {
      args: ["-j1", ...literal ? ["-F"] : [], "-e", pattern, fixture.workspace],
      stdout: "null",
    }).output();
  const figures: Figure[] = [];
  const pauses: number[] = [];
  for (const one of [...LITERALS, ...EXPRESSIONS]) {
    figures.push(
      await comparePaired(`file_search of ${one.pattern} in 200 MB, compared with ripgrep`, {
        floor: () => ripgrep(one),
        subject: () => search(one),
        pairs: PAIRS,
        goal: ratioAtMost(one.literal === true ? 3 : 6),
      }),
    );
    const others = watchPauses();
    await search(one);
    pauses.push(others.stop());
  }
  const worst = (name: string, values: number[], goal: { unit: "ms" | "MB"; bound: number }) =>
    figures.push(toFigure(name, {
      floors: [1],
      subjects: [Math.max(...values)],
      unit: goal.unit,
      goal: subjectAtMost(goal.bound),
    }));
  worst("the longest wait of other work during a search", pauses, { unit: "ms", bound: 50 });
  for (let count = 0; count < SEARCHES; count++) await search(LITERALS[0]!);
  const memory = [residentMb() - idleMb];
  worst("the memory that the searches add to the process", memory, { unit: "MB", bound: 150 });
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
