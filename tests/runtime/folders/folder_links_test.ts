// Links in watched folders that lead to other watched folders: nobody's events get lost, whoever is first. Real folders.
import assert from "node:assert/strict";
import { join } from "node:path";
import { FolderWatches } from "../../../runtime/folders/folder_watches.ts";
import { LogLines } from "../../support/log_lines.ts";
import { TestClock } from "../../support/test_clock.ts";
import { until } from "../../support/until.ts";

/** `main` has links; `other` is another watched folder. */
class Linked implements AsyncDisposable {
  readonly #clock = new TestClock();
  readonly #watches: FolderWatches;
  readonly #heard = new Map<string, Set<string>>();
  #count = 0;
  private constructor(readonly root: string) {
    const probeFolder = join(root, "probe");
    this.#watches = new FolderWatches({ clock: this.#clock, log: new LogLines(), probeFolder });
  }

  /** `links`: names in `main`, and what they lead to. */
  static async create(links: Readonly<Record<string, string>>): Promise<Linked> {
    const root = await Deno.realPath(await Deno.makeTempDir());
    for (const name of ["main/sub", "top/other/deep", "aside"]) {
      await Deno.mkdir(join(root, name), { recursive: true });
    }
    for (const [name, target] of Object.entries(links)) {
      await Deno.symlink(join(root, target), join(root, "main", name));
    }
    return new Linked(root);
  }

  path(name: string): string {
    return join(this.root, name);
  }

  async listen(folder: string, recursive = true): Promise<() => void> {
    const heard = new Set<string>();
    this.#heard.set(folder, heard);
    const scan = (): Promise<void> => {
      // What a view does: it looks for what events may have missed.
      for (const one of filesIn(this.path(folder))) heard.add(one);
      return Promise.resolve();
    };
    return await this.#watches.watch({ folder: this.path(folder), recursive }, {
      changed: (paths) => {
        for (const path of paths) {
          heard.add(path);
          for (const one of filesIn(path)) heard.add(one);
        }
      },
      uncertain: scan,
    });
  }

  /** Each of these hears of files that are made in these places now. */
  async hears(places: Readonly<Record<string, string>>): Promise<void> {
    for (const [folder, place] of Object.entries(places)) {
      const path = this.path(`${place}/file-${++this.#count}`);
      Deno.writeTextFileSync(path, "");
      await until(
        async () => {
          await this.#clock.advance(20);
          return this.#heard.get(folder)?.has(path) === true;
        },
        `${folder} hears of ${path}`,
      );
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watches[Symbol.asyncDispose]();
    await Deno.remove(this.root, { recursive: true });
  }
}

/** The files below a folder, links left out. */
function* filesIn(folder: string): Generator<string> {
  const entries = isFolder(folder) ? [...Deno.readDirSync(folder)] : [];
  for (const { name, isDirectory, isFile } of entries) {
    if (isFile) yield join(folder, name);
    if (isDirectory) yield* filesIn(join(folder, name));
  }
}

function isFolder(path: string): boolean {
  try {
    return Deno.lstatSync(path).isDirectory;
  } catch {
    return false; // Gone.
  }
}

const LINKS: Readonly<Record<string, string>> = {
  "the other folder": "top/other",
  "a folder in it": "top/other/deep",
  "the folder above it": "top",
  "everything, itself included": ".",
};
const ORDERS: Readonly<Record<string, (linked: Linked) => Promise<unknown>>> = {
  "the one with the link first": async (linked) => {
    await linked.listen("main");
    await linked.listen("top/other");
  },
  "the one with the link last": async (linked) => {
    await linked.listen("top/other");
    await linked.listen("main");
  },
  "both at once": (linked) => Promise.all([linked.listen("main"), linked.listen("top/other")]),
};

for (const [what, target] of Object.entries(LINKS)) {
  for (const [when, begin] of Object.entries(ORDERS)) {
    Deno.test(`FolderWatches: a link to ${what} takes nobody's events, ${when}`, async () => {
      await using linked = await Linked.create({ link: target });
      await begin(linked);
      const places = { main: "main/sub", "top/other": "top/other/deep" };
      await linked.hears(places);
      await linked.hears({ main: "main", "top/other": "top/other" });
      Deno.removeSync(linked.path("main/link"));
      await linked.hears(places);
    });
  }
}

Deno.test("FolderWatches: a folder that is linked to is heard of after the one with the link is watched no more", async () => {
  await using linked = await Linked.create({ link: "top/other" });
  const endMain = await linked.listen("main");
  await linked.listen("top/other");
  endMain();
  await linked.listen("aside");
  await linked.hears({ "top/other": "top/other/deep", aside: "aside" });
});

Deno.test("FolderWatches: a link takes no events from a folder that is watched without those in it", async () => {
  await using linked = await Linked.create({ link: "top/other" });
  await linked.listen("top/other", false);
  await linked.listen("main");
  await linked.hears({ "top/other": "top/other", main: "main/sub" });
});

Deno.test("FolderWatches: new folders beside a link are heard of, with the folders in them", async () => {
  await using linked = await Linked.create({ link: "top/other" });
  await linked.listen("main");
  await linked.listen("top/other");
  for (const name of ["new", "newer"]) {
    Deno.mkdirSync(linked.path(`main/sub/${name}/deep`), { recursive: true });
    await linked.hears({ main: `main/sub/${name}/deep`, "top/other": "top/other/deep" });
  }
});

Deno.test("FolderWatches: a folder that comes with a link in it takes nobody's events for good", async () => {
  await using linked = await Linked.create({});
  await linked.listen("main");
  await linked.listen("top/other");
  Deno.mkdirSync(linked.path("aside/folder"));
  Deno.symlinkSync(linked.path("top/other"), linked.path("aside/folder/link"));
  Deno.renameSync(linked.path("aside/folder"), linked.path("main/folder"));
  for (let i = 0; i < 3; i++) {
    await linked.hears({ main: "main/folder", "top/other": "top/other/deep" });
  }
});

Deno.test("FolderWatches: two folders with links to each other hear of their own files", async () => {
  await using linked = await Linked.create({ link: "top/other" });
  Deno.symlinkSync(linked.path("main"), linked.path("top/other/link"));
  await Promise.all([linked.listen("main"), linked.listen("top/other"), linked.listen("aside")]);
  const places = { main: "main/sub", "top/other": "top/other/deep", aside: "aside" };
  await linked.hears(places);
  assert.ok(isFolder(linked.path("main/link")) === false);
  await linked.hears(places);
});
