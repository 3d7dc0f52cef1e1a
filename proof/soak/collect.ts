// Preloaded into the service of a soak. Every 30 seconds it makes V8 and the C library release unused memory, and records
// the memory that remains. Without these releases, memory fluctuates within minutes by more than it may grow in hours.
import { getHeapSpaceStatistics } from "node:v8";
import { COLLECTED_FILE, type CollectedLine } from "./collected_memory.ts";

const EVERY_MS = 30_000;

declare const gc: (
  options: { type: "major"; execution: "sync"; flavor: "last-resort" },
) => void;

/**
 * `struct mallinfo2` of the GNU C library: ten sizes. Size 4 is the bytes in mapped blocks, size 7 the bytes in all other
 * used blocks.
 */
const MALLOC_INFO = { struct: Array.from({ length: 10 }, () => "usize" as const) };
const MAPPED = 4;
const IN_USE = 7;

const file = `${Deno.env.get("HOME")}/${COLLECTED_FILE}`;
const trimmer = openLibrary({ malloc_trim: { parameters: ["usize"], result: "i32" } });
// The C library has mallinfo2 since version 2.33.
const allocator = openLibrary({ mallinfo2: { parameters: [], result: MALLOC_INFO } });

const system = openLibrary({
  open: { parameters: ["buffer", "i32"], result: "i32" },
  read: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  close: { parameters: ["i32"], result: "i32" },
  getpagesize: { parameters: [], result: "i32" },
});

const timer = setInterval(() => {
  collectGarbage();
  trimmer?.malloc_trim(0n);
  const { rss, heapUsed, heapTotal } = Deno.memoryUsage();
  const line: CollectedLine = {
    pid: Deno.pid,
    at: Date.now(),
    rss,
    heapUsed,
    heapTotal,
    code: codeSize(),
    allocated: allocatedSize(),
    files: filesSize(),
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

/**
 * Returns functions of the GNU C library, with which Deno allocates memory on Linux. Returns undefined if the system has
 * another C library or the library lacks one of the functions.
 */
function openLibrary<const S extends Deno.ForeignLibraryInterface>(
  functions: S,
): Deno.StaticForeignLibraryInterface<S> | undefined {
  try {
    return Deno.dlopen("libc.so.6", functions).symbols;
  } catch {
    return undefined;
  }
}

/** Returns the bytes that the C library has allocated; null if the library does not report them. */
function allocatedSize(): number | null {
  const info = allocator?.mallinfo2();
  if (info === undefined) return null;
  const sizes = new BigUint64Array(info.buffer, info.byteOffset, MALLOC_INFO.struct.length);
  return Number((sizes[MAPPED] ?? 0n) + (sizes[IN_USE] ?? 0n));
}

/**
 * Returns the bytes of resident file pages, from the third number of /proc/self/statm, which counts pages (proc(5)).
 * Returns null if there is no such file. The C library reads the file, because Deno needs all permissions for /proc.
 */
function filesSize(): number | null {
  if (system === undefined) return null;
  const opened = system.open(new TextEncoder().encode("/proc/self/statm\0"), 0);
  if (opened < 0) return null;
  const bytes = new Uint8Array(256);
  const length = Number(system.read(opened, bytes, BigInt(bytes.length)));
  system.close(opened);
  const [, , shared] = new TextDecoder().decode(bytes.subarray(0, Math.max(0, length))).split(" ");
  return shared === undefined ? null : Number(shared) * system.getpagesize();
}
