import assert from "node:assert/strict";
import { foldersToSkip } from "../../../../runtime/folders/ignored_names.ts";
import { createWatchFilter } from "../../../../runtime/triggers/watch/watched_paths.ts";

interface Case {
  glob?: string;
  /** The `include` patterns of the filter, separated by spaces. */
  include?: string;
  exclude?: string;
  /** The paths that must match. `no` has the paths that must not match. */
  yes?: string;
  no?: string;
}

const CASES: Readonly<Record<string, Case>> = {
  "a folder without filters matches every file": { yes: "a.md deep/er/b.txt extensionless" },
  "a folder without filters ignores the private files of editors and tools": {
    no:
      ".git/HEAD sub/.git/index node_modules/x/index.js deep/node_modules/x.js .note.md.swp deep/.note.md.swo .note.md.swx 4913 .#note.md #note.md# note.md~ ~$report.docx .~lock.sheet.ods# .goutputstream-AB12 x.ts___jb_tmp___ .x.kate-swp .inkling-123e4567-e89b-42d3-a456-426614174000.tmp",
    yes: "4914 git/HEAD movie.swf a#b node_modules.md ~a",
  },
  "a folder without filters ignores hidden files, unfinished downloads and sync files": {
    no:
      "a.pdf.crdownload a.PART deep/a.partial a.pdf.download/a.pdf a.download x.tmp ~a.tmp .syncthing.a.pdf.tmp ~syncthing~a.pdf.tmp .a.pdf.Ab12Cd .dropbox.cache/a .dropbox .stversions/a.md .rsync-partial/a .~a.pdf.~1a2 .a.icloud .DS_Store deep/thumbs.db Desktop.ini ._a.pdf .hidden .obsidian/app.json deep/.venv/lib/x.py",
    yes: "part crdownload a.part1 tmp/a desktop.init",
  },
  "include matches the base name, at any depth": {
    include: "*.md",
    yes: "a.md deep/er/b.md",
    no: "a.txt md a.md.bak",
  },
  "include matches the path relative to the watched folder": {
    include: "drafts/*.md",
    yes: "drafts/a.md",
    no: "a.md drafts/deep/a.md other/drafts/a.md",
  },
  "one matching include is enough, one matching exclude rejects": {
    include: "*.md *.txt",
    exclude: "draft* old/**",
    yes: "a.md b.txt new/old.md",
    no: "c.pdf draft.md deep/draft-2.txt old/a.md old/deep/a.md",
  },
  "a pattern with a slash at its end matches everything in the folder": {
    exclude: "archive/ ./tmp/",
    yes: "a.md sub/archive/a.md archive.md",
    no: "archive/a.md archive/deep/a.md tmp/x",
  },
  "a leading dot is an ordinary character": {
    include: "**/*.md .config/*",
    exclude: "*.secret.md",
    yes: "a.md .config/x",
    no: ".x.secret.md .trash/x deep/.a deep/.a.md .trash/a.md .config/.git/x",
  },
  "braces, classes and question marks work; parentheses and exclamation marks are literal": {
    include: "*.{md,txt} [ab].log ?.csv !x n(1).pdf",
    yes: "a.txt a.log 1.csv !x n(1).pdf",
    no: "c.log 12.csv x n1.pdf",
  },
  "a glob as the watched path": {
    glob: "*.md",
    yes: "a.md",
    no: "deep/a.md a.txt .a.md",
  },
  "a glob with a leading dot": {
    glob: ".*/*.md",
    yes: ".a/b.md",
    no: "a/b.md .a/.b.md",
  },
  "a glob through several folders, with filters": {
    glob: "**/inbox/*",
    exclude: "*.tmp",
    yes: "inbox/a x/inbox/b x/y/inbox/c",
    no: "inbox/deep/a a inbox/a.tmp x/inbox/b~",
  },
  "an ignored name is included when a filter names it": {
    include: "*.swp *~ 4913 .#* #*# .git/HEAD node_modules/*/package.json",
    yes: ".a.swp a~ 4913 .#a #a# .git/HEAD node_modules/x/package.json",
    no: ".git/index node_modules/x/index.js",
  },
  "an ignored name stays ignored when a filter matches it by a wildcard": {
    include: "* *.md **/*",
    yes: "a.md",
    no: "a.md~ node_modules/x/README.md #a# .a.md .a/a.md a.tmp",
  },
  "hidden and partial names are included by their dot or suffix": {
    include: "*.{part,md} *.tmp .env .*/*.json Thumbs.db .syncthing.* *.download",
    yes: "a.part a.md .env deep/.env .a/b.json Thumbs.db .syncthing.a.tmp a.download",
    no: ".a.md .b/.env b.crdownload .DS_Store .a/b.part",
  },
  "ignored names are included when the watched path names them": {
    glob: "**/node_modules/*.json",
    yes: "node_modules/a.json x/node_modules/b.json",
    no: "a.json node_modules/a.js node_modules/a.json~",
  },
  "a file that is being written never matches, whatever the filters": {
    include: "* .inkling-*",
    no: ".inkling-123e4567-e89b-42d3-a456-426614174000.tmp",
  },
};

const split = (words = "") => words.split(" ").filter(Boolean);

for (const [name, { glob, include, exclude, yes, no }] of Object.entries(CASES)) {
  Deno.test(`createWatchFilter(): ${name}`, async () => {
    const filter = await createWatchFilter(glob, {
      include: split(include),
      exclude: split(exclude),
    });
    assert.deepEqual(split(yes).filter((path) => !filter(path, "folder")), [], "refused wrongly");
    assert.deepEqual(split(no).filter((path) => filter(path, "folder")), [], "accepted wrongly");
  });
}

Deno.test("createWatchFilter(): without a pattern no name is ignored, but filters apply", async () => {
  const all = await createWatchFilter(undefined, { include: [], exclude: [] });
  assert.equal(all("notes.txt~", "file"), true);
  assert.equal(all("Zoë (1).md", "folder"), true);
  const some = await createWatchFilter(undefined, { include: [], exclude: ["*~"] });
  assert.equal(some("notes.txt~", "file"), false);
});

Deno.test("foldersToSkip() does not return ignored folders that a pattern matches", () => {
  const all = ["*.download", ".*", ".git", "node_modules"];
  const named = (...patterns: string[]) =>
    all.filter((one) => !foldersToSkip(patterns).includes(one));
  assert.deepEqual(named("*.git", "node_modules.md", "**", "./a/*"), []);
  assert.deepEqual(named("*.md", "**/node_modules/x"), ["node_modules"]);
  assert.deepEqual(named(".git/"), [".*", ".git"]);
  assert.deepEqual(named("{.env,a}"), [".*"]);
});
