// Tests links between watched folders: no listener loses events, in any order of the watches. Uses real folders.
import { Listening } from "./listening.ts";

const OTHER = "top/other";

/** Creates real folders. `main` contains the given links, and `top/other` is another watched folder. */
async function createLinked(links: Readonly<Record<string, string>>): Promise<Listening> {
  const linked = await Listening.create({ folders: ["main/sub", `${OTHER}/deep`, "aside"] });
  for (const [name, target] of Object.entries(links)) {
    await Deno.symlink(linked.path(target), linked.path(`main/${name}`));
  }
  return linked;
}

const listen = (linked: Listening, folder: string) => linked.listen(folder, { scans: true });

async function expectBoth(linked: Listening, inMain = "main/sub"): Promise<void> {
  await linked.expect(inMain, "main");
  await linked.expect(`${OTHER}/deep`, OTHER);
}

/** Cases of a link and the order of the watches. The watches in one inner list are opened at the same time. */
const LINKS: readonly (readonly [what: string, target: string, order: readonly string[][]])[] = [
  ["the other folder, which is watched last", OTHER, [["main"], [OTHER]]],
  ["the other folder, which is watched first", OTHER, [[OTHER], ["main"]]],
  ["a folder in the other folder, both watched at once", `${OTHER}/deep`, [["main", OTHER]]],
  ["the folder above the other one, which is watched last", "top", [["main"], [OTHER]]],
  ["everything, itself included, both at once", ".", [["main", OTHER]]],
];

for (const [what, target, order] of LINKS) {
  Deno.test(`FolderWatches: a link to ${what} takes no listener's events`, async () => {
    await using linked = await createLinked({ link: target });
    for (const folders of order) await Promise.all(folders.map((one) => listen(linked, one)));
    await expectBoth(linked);
    await linked.expect("main", "main");
    await linked.expect(OTHER, OTHER);
    Deno.removeSync(linked.path("main/link"));
    await expectBoth(linked);
  });
}

Deno.test("FolderWatches reports a linked folder after the watch of the folder with the link ended", async () => {
  await using linked = await createLinked({ link: OTHER });
  const endMain = await listen(linked, "main");
  await listen(linked, OTHER);
  endMain();
  await listen(linked, "aside");
  await linked.expect(`${OTHER}/deep`, OTHER);
  await linked.expect("aside", "aside");
});

Deno.test("FolderWatches: a link takes no events from a folder that is watched without subfolders", async () => {
  await using linked = await createLinked({ link: OTHER });
  await linked.listen(OTHER, { scans: true, recursive: false });
  await listen(linked, "main");
  await linked.expect(OTHER, OTHER);
  await linked.expect("main/sub", "main");
});

Deno.test("FolderWatches reports new folders beside a link, and new folders with a link", async () => {
  await using linked = await createLinked({ link: OTHER });
  await listen(linked, "main");
  await listen(linked, OTHER);
  for (const name of ["new", "newer"]) {
    Deno.mkdirSync(linked.path(`main/sub/${name}/deep`), { recursive: true });
    await expectBoth(linked, `main/sub/${name}/deep`);
  }
  Deno.mkdirSync(linked.path("aside/folder"));
  Deno.symlinkSync(linked.path(OTHER), linked.path("aside/folder/link"));
  Deno.renameSync(linked.path("aside/folder"), linked.path("main/folder"));
  for (let i = 0; i < 3; i++) await expectBoth(linked, "main/folder");
});

Deno.test("FolderWatches: two folders with links to each other report their own files", async () => {
  await using linked = await createLinked({ link: OTHER });
  Deno.symlinkSync(linked.path("main"), linked.path(`${OTHER}/link`));
  await Promise.all(["main", OTHER, "aside"].map((one) => listen(linked, one)));
  for (let i = 0; i < 2; i++) {
    await expectBoth(linked);
    await linked.expect("aside", "aside");
  }
});
