// Fuzzes the opening of a database with databases of every earlier format, intact and damaged.
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { DatabaseUnusable } from "../../../runtime/database/database.ts";
import { SqliteDatabase } from "../../../runtime/storage/sqlite/sqlite_database.ts";
import { MIGRATIONS } from "../../../runtime/storage/sqlite/migrations.ts";
import { defineTarget } from "../target.ts";

interface World {
  folder: string;
  /** The bytes of one database for each format, beginning with format 1. */
  formats: readonly Uint8Array[];
}

/** The application id in the header of an SQLite file: the letters INKL. */
const APPLICATION_ID = 0x494e4b4c;

/** Applies the migrations one after another, and returns the bytes of the database after each. */
function makeFormats(folder: string): Uint8Array[] {
  const path = `${folder}/formats.db`;
  using db = new DatabaseSync(path);
  return MIGRATIONS.map((step, index) => {
    if (typeof step === "string") db.exec(step);
    else step(db);
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${index + 1}`);
    if (index === 0) db.exec("INSERT INTO instances (id, pid, started_at) VALUES ('i', 1, 0)");
    return Deno.readFileSync(path);
  });
}

const edit = fc.record({
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  // True: the damage is in the first 100 bytes, which are the header.
  inHead: fc.boolean(),
  put: fc.uint8Array({ minLength: 1, maxLength: 16 }),
});

export const databases = defineTarget<
  [number, readonly { share: number; inHead: boolean; put: Uint8Array }[], number | undefined],
  World
>({
  name: "databases",
  claim: "a database of any format is migrated, or refused with a sentence and left unchanged",
  oneIn: 5,
  async open() {
    const folder = await Deno.makeTempDir({ prefix: "inkling-fuzz-" });
    return {
      folder,
      formats: makeFormats(folder),
      [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
    };
  },
  cases: ({ formats }) =>
    fc.tuple(
      fc.nat(formats.length - 1),
      fc.array(edit, { maxLength: 3 }),
      fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined, freq: 4 }),
    ),
  async check([format, edits, cut], { folder, formats }) {
    const whole = formats[format] ?? assert.fail();
    const bytes = whole.slice(0, cut === undefined ? whole.length : Math.floor(whole.length * cut));
    for (const { share, inHead, put } of edits) {
      const room = inHead ? Math.min(100, bytes.length) : bytes.length;
      bytes.set(
        put.slice(0, bytes.length - Math.floor(share * room)),
        Math.min(Math.floor(share * room), bytes.length),
      );
    }
    const path = `${folder}/case.db`;
    await Deno.writeFile(path, bytes);
    try {
      using db = SqliteDatabase.open(path);
      assert.equal(
        db.get<{ user_version: number }>("PRAGMA user_version")?.user_version,
        MIGRATIONS.length,
      );
    } catch (error) {
      assert.ok(error instanceof DatabaseUnusable, String(error));
      assert.match(error.message, /^Cannot open .+case\.db: .+\.$/s);
      const isIntact = edits.length === 0 && cut === undefined;
      assert.ok(!isIntact, error.message);
      assert.deepEqual(await Deno.readFile(path), bytes, "the file was changed");
    } finally {
      for (const companion of [path, `${path}-wal`, `${path}-shm`, `${path}-journal`]) {
        await Deno.remove(companion).catch(() => {});
      }
    }
  },
});
