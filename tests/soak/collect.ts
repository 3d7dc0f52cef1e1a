// Loaded before the service of a soak: twice a minute it has V8 and the C library give back all that is not used, and
// writes down what is left. Without that, memory goes up and down for minutes by more than it may grow in hours.
import { getHeapSpaceStatistics } from "node:v8";
import { COLLECTED_FILE, type CollectedLine } from "./collected_memory.ts";

const EVERY_MS = 30_000;

declare const gc: (
  options: { type: "major"; execution: "sync"; flavor: "last-resort" },
) => void;

/** `struct mallinfo2` of the GNU C library: ten sizes, of which these are bytes of mapped blocks and of all others in use. */
const MALLOC_INFO = { struct: Array.from({ length: 10 }, () => "usize" as const) };
const MAPPED = 4;
const IN_USE = 7;

const file = `${Deno.env.get("HOME")}/${COLLECTED_FILE}`;
const trim = openTrim();
const allocated = openAllocated();

const timer = setInterval(() => {
  gc({ type: "major", execution: "sync", flavor: "last-resort" });
  trim?.();
  const { rss, heapUsed } = Deno.memoryUsage();
  const line: CollectedLine = {
    ...{ pid: Deno.pid, at: Date.now(), rss, heapUsed, code: codeSize() },
    allocated: allocated?.() ?? null,
  };
  Deno.writeTextFileSync(file, `${JSON.stringify(line)}\n`, { append: true });
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

/** Bytes that the GNU C library has given out and not got back; undefined where that is another, or older than 2.33. */
function openAllocated(): (() => number) | undefined {
  try {
    const { symbols } = Deno.dlopen("libc.so.6", {
      mallinfo2: { parameters: [], result: MALLOC_INFO },
    });
    return () => {
      const { buffer, byteOffset } = symbols.mallinfo2();
      const sizes = new BigUint64Array(buffer, byteOffset, MALLOC_INFO.struct.length);
      return Number((sizes[MAPPED] ?? 0n) + (sizes[IN_USE] ?? 0n));
    };
  } catch {
    return undefined;
  }
}
