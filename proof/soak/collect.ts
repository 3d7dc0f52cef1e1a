// Loaded before the service of a soak. Twice a minute it makes V8 and the C library release unused memory, and
// records the rest. Without that, memory fluctuates within minutes by more than it may grow in hours.
import { getHeapSpaceStatistics } from "node:v8";
import { COLLECTED_FILE, type CollectedLine } from "./collected_memory.ts";

const EVERY_MS = 30_000;

declare const gc: (
  options: { type: "major"; execution: "sync"; flavor: "last-resort" },
) => void;

/**
 * `struct mallinfo2` of the GNU C library: ten sizes, among them the bytes of mapped blocks and of all other used
 * ones.
 */
const MALLOC_INFO = { struct: Array.from({ length: 10 }, () => "usize" as const) };
const MAPPED = 4;
const IN_USE = 7;

const file = `${Deno.env.get("HOME")}/${COLLECTED_FILE}`;
const trimmer = openLibrary({ malloc_trim: { parameters: ["usize"], result: "i32" } });
// Since version 2.33.
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

// Only a worker itself can collect its heap, so workers made from a text now do that.
globalThis.Worker = class extends Worker {
  constructor(url: string | URL, options?: WorkerOptions) {
    const collecting = `${collectGarbage};setInterval(collectGarbage,${EVERY_MS});`;
    const isText = String(url).startsWith("data:application/javascript,");
    super(isText ? `${url}${encodeURIComponent(collecting)}` : url, options);
  }
};

/**
 * The bytes of code that V8 compiled. They converge: the number of functions is finite, and each is compiled a few
 * times.
 */
function codeSize(): number {
  return getHeapSpaceStatistics().filter(({ space_name: name }) => /^(code|trusted)_/.test(name))
    .reduce((sum, { space_used_size: size }) => sum + size, 0);
}

/**
 * Functions of the GNU C library, which Deno allocates with on Linux; undefined for another library, or without them.
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

/** The bytes that the C library has allocated; null when it does not report them. */
function allocatedSize(): number | null {
  const info = allocator?.mallinfo2();
  if (info === undefined) return null;
  const sizes = new BigUint64Array(info.buffer, info.byteOffset, MALLOC_INFO.struct.length);
  return Number((sizes[MAPPED] ?? 0n) + (sizes[IN_USE] ?? 0n));
}

/**
 * The bytes of resident file pages: the third number of /proc/self/statm, in pages (proc(5)). Deno itself reads below
 * /proc only with all permissions. Null when there is no such file.
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
