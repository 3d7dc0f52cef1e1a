// Reads the program that `deno compile` appended to a runtime image, in the way the runtime finds it.
import assert from "node:assert/strict";
import { MAIN } from "../../release/product.ts";
import { PERMISSION_FLAGS } from "../../cli/self_command.ts";

/** A program inside an executable. */
export interface EmbeddedProgram {
  metadata: {
    permissions: Record<string, string[] | boolean | null>;
    unstable_config: { features: string[]; lazy_dynamic_imports: boolean };
    otel_config: { tracing_enabled: boolean; metrics_enabled: boolean };
    code_cache_key: unknown;
    entrypoint_key: string;
    app_name: string;
    node_modules: unknown;
  };
  /** The contents of the embedded files by path. */
  files: ReadonlyMap<string, string>;
  /** All recorded modification times in milliseconds since the epoch. */
  times: ReadonlySet<number>;
}

type Entry =
  | { Dir: { n: string; e: Entry[] } }
  | { File: { n: string; o: [number, number]; t: number } }
  | { Symlink: { n: string } };

const MAGIC = "d3n0l4ndd3n0l4nd";
const LENGTH_BYTES = 8;

/** Reads the program from an executable. */
export async function readEmbeddedProgram(executable: string): Promise<EmbeddedProgram> {
  const bytes = await Deno.readFile(executable);
  const text = new TextDecoder("latin1").decode(bytes);
  const lengthAt = (place: number) =>
    Number(new DataView(bytes.buffer, place, LENGTH_BYTES).getBigUint64(0, true));
  const read = (place: number, length: number) =>
    new TextDecoder().decode(bytes.subarray(place, place + length));

  const start = text.indexOf(MAGIC) + MAGIC.length;
  const end = start + LENGTH_BYTES + lengthAt(start);
  const tree = text.indexOf('[{"', end);
  const contents = tree + lengthAt(tree - LENGTH_BYTES) + LENGTH_BYTES;
  const files = new Map<string, string>();
  const times = new Set<number>();
  const walk = (entries: Entry[], folder: string): void => {
    for (const entry of entries) {
      if ("Dir" in entry) walk(entry.Dir.e, `${folder}${entry.Dir.n}/`);
      if ("File" in entry) {
        const [offset, length] = entry.File.o;
        times.add(entry.File.t);
        files.set(`${folder}${entry.File.n}`, read(contents + offset, length));
      }
    }
  };
  walk(JSON.parse(read(tree, lengthAt(tree - LENGTH_BYTES))), "");
  return { metadata: JSON.parse(read(start + LENGTH_BYTES, lengthAt(start))), files, times };
}

/** Asserts that the executable has exactly Inkling's permissions and contains no trace of the build machine. */
export function checkMetadata(metadata: EmbeddedProgram["metadata"]): void {
  const given = Object.entries(metadata.permissions)
    .filter(([kind, value]) => kind.startsWith("allow_") && Array.isArray(value))
    .map(([kind]) => `--${kind.replace("_", "-")}`);
  // `deno compile` also records its list of hosts for imports. They have no effect: an executable loads only embedded files
  // and files on disk.
  assert.deepEqual(
    given.filter((flag) => flag !== "--allow-import").sort(),
    PERMISSION_FLAGS.filter((flag) => flag.startsWith("--allow-")).sort(),
  );
  assert.deepEqual(metadata.permissions["deny_import"], []);
  assert.equal(metadata.permissions["prompt"], false);
  assert.deepEqual(metadata.unstable_config.features, ["worker-options"]);
  assert.equal(metadata.entrypoint_key, MAIN);
  assert.equal(metadata.app_name, "inkling");
  // Deno would place the code cache in a folder that all users share.
  assert.equal(metadata.code_cache_key, null);
  assert.equal(metadata.otel_config.tracing_enabled, false);
  assert.equal(metadata.otel_config.metrics_enabled, false);
}

/** Returns the smallest file that `deno compile` accepts as a Linux runtime image: headers without code. */
export function imageStandIn(): Uint8Array<ArrayBuffer> {
  const [header, segment] = [64, 56];
  const view = new DataView(new ArrayBuffer(header + segment));
  const size = BigInt(header + segment);
  view.setUint32(0, 0x7f454c46);
  view.setUint32(4, 0x02010100);
  // The fields e_type, e_machine, e_version, e_phoff, e_ehsize, e_phentsize and e_phnum.
  view.setUint16(16, 2, true);
  view.setUint16(18, 62, true);
  view.setUint32(20, 1, true);
  view.setBigUint64(32, BigInt(header), true);
  view.setUint16(52, header, true);
  view.setUint16(54, segment, true);
  view.setUint16(56, 1, true);
  // The fields p_type, p_flags, p_vaddr, p_filesz, p_memsz and p_align.
  view.setUint32(64, 1, true);
  view.setUint32(68, 5, true);
  view.setBigUint64(80, 0x400000n, true);
  view.setBigUint64(96, size, true);
  view.setBigUint64(104, size, true);
  view.setBigUint64(112, 0x1000n, true);
  return new Uint8Array(view.buffer);
}
