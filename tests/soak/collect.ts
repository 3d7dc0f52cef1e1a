// Loaded before the service of a soak: twice a minute it has V8 and the C library give back all that is not used, and
// writes down what is left. Without that, memory goes up and down for minutes by more than it may grow in hours.
import { getHeapSpaceStatistics } from "node:v8";
import { COLLECTED_FILE } from "./collected_memory.ts";

const EVERY_MS = 30_000;

declare const gc: (
  options: { type: "major"; execution: "sync"; flavor: "last-resort" },
) => void;

const file = `${Deno.env.get("HOME")}/${COLLECTED_FILE}`;
const trim = openTrim();

const timer = setInterval(() => {
  gc({ type: "major", execution: "sync", flavor: "last-resort" });
  trim?.();
  const { rss, heapUsed } = Deno.memoryUsage();
  const line = JSON.stringify({ pid: Deno.pid, at: Date.now(), rss, heapUsed, code: codeSize() });
  Deno.writeTextFileSync(file, `${line}\n`, { append: true });
}, EVERY_MS);
Deno.unrefTimer(timer);

/** Bytes of what V8 compiled. It ends by itself: there are so many functions, and each is compiled a few times. */
function codeSize(): number {
  return getHeapSpaceStatistics().filter(({ space_name: name }) => /^(code|trusted)_/.test(name))
    .reduce((sum, { space_used_size: size }) => sum + size, 0);
}

/** `malloc_trim` of the GNU C library, which Deno allocates with on Linux; undefined where that is another. */
function openTrim(): (() => void) | undefined {
  try {
    const { symbols } = Deno.dlopen("libc.so.6", {
      malloc_trim: { parameters: ["usize"], result: "i32" },
    });
    return () => void symbols.malloc_trim(0n);
  } catch {
    return undefined;
  }
}
