// Preloaded into the service of a soak. Every 30 seconds it makes V8 and the C library release unused memory, and records
// the memory that remains. Without these releases, memory fluctuates within minutes by more than it may grow in hours.
import { getHeapSpaceStatistics } from "node:v8";
import { COLLECTED_FILE, type CollectedLine } from "./collected_memory.ts";

const EVERY_MS = 30_000;

declare const gc: (
  options: { type: "major"; execution: "sync"; flavor: "last-resort" },
) => void;

const file = `${Deno.env.get("HOME")}/${COLLECTED_FILE}`;
const trimmer = openTrimmer();

const timer = setInterval(() => {
  collectGarbage();
  trimmer?.malloc_trim(0n);
  const { rss, heapUsed } = Deno.memoryUsage();
  const line: CollectedLine = {
    pid: Deno.pid,
    at: Date.now(),
    rss,
    heapUsed,
    code: codeSize(),
  };
  Deno.writeTextFileSync(file, `${JSON.stringify(line)}\n`, { append: true });
}, EVERY_MS);
Deno.unrefTimer(timer);

function collectGarbage(): void {
  gc({ type: "major", execution: "sync", flavor: "last-resort" });
}

// A worker's heap can be collected only by code inside the worker. Each worker that is created from a data URL gets a timer
// that collects its heap.
globalThis.Worker = class extends Worker {
  constructor(url: string | URL, options?: WorkerOptions) {
    const collecting = `${collectGarbage};setInterval(collectGarbage,${EVERY_MS});`;
    const isText = String(url).startsWith("data:application/javascript,");
    super(isText ? `${url}${encodeURIComponent(collecting)}` : url, options);
  }
};

/**
 * Returns the bytes of code that V8 compiled. This number converges, because V8 compiles each of the functions only a few
 * times.
 */
function codeSize(): number {
  return getHeapSpaceStatistics().filter(({ space_name: name }) => /^(code|trusted)_/.test(name))
    .reduce((sum, { space_used_size: size }) => sum + size, 0);
}

/** Returns malloc_trim() of the GNU C library, with which Deno allocates memory on Linux, or undefined without it. */
function openTrimmer() {
  try {
    const functions = { malloc_trim: { parameters: ["usize"], result: "i32" } } as const;
    return Deno.dlopen("libc.so.6", functions).symbols;
  } catch {
    return undefined;
  }
}
