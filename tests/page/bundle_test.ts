// Tests of the committed bundle: it equals a new build, is small, and contains no path of the build machine.
import assert from "node:assert/strict";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { filesBelow, REPOSITORY } from "../support/repository.ts";
import { createTempDir } from "../support/temp_dir.ts";

const ASSETS = join(REPOSITORY, "server/dashboard/assets");
const text = (name: string) => Deno.readTextFile(join(ASSETS, name));
const SCRIPTS = ["app.js", "editor.js"];
/** The size limit in bytes of the files that a browser loads on its first visit. */
const MOST_BYTES = 275_000;
/** The compressed size limit in bytes of the page's script, and of the editor, which is loaded when a file is opened. */
const MOST_COMPRESSED = 200_000;

Deno.test("the scripts in server/dashboard/assets equal a new build (deno task dashboard writes them)", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile(join(REPOSITORY, "deno.json")));
  await using folder = await createTempDir();
  const commands = (tasks.dashboard.command as string)
    .replaceAll("server/dashboard/assets", folder.path).split(" && ");
  for (const [program, ...args] of commands.map((one) => one.split(" "))) {
    assert.equal(program, "deno");
    const bundling = new Deno.Command(Deno.execPath(), { args, cwd: REPOSITORY });
    const { success, stderr } = await bundling.output();
    assert.ok(success, new TextDecoder().decode(stderr));
  }
  for (const name of SCRIPTS) {
    const isSame = await Deno.readTextFile(join(folder.path, name)) === await text(name);
    assert.ok(isSame, "the bundle is older than its sources: run `deno task dashboard`");
  }
});

Deno.test("server/dashboard/assets is small and names no local path or address", async () => {
  const names = [...Deno.readDirSync(ASSETS)].map(({ name }) => name);
  const served = names.filter((name) => /\.(js|css)$/.test(name));
  assert.deepEqual(served.sort(), ["app.js", "editor.js", "layout.css", "theme.css", "views.css"]);
  const files = await Promise.all(served.map(text));
  const first = files.filter((_, index) => served[index] !== "editor.js").join("").length;
  assert.ok(first < MOST_BYTES, `${first} bytes`);
  for (const name of SCRIPTS) {
    const { length } = gzipSync(await text(name));
    assert.ok(length < MOST_COMPRESSED, `${name}: ${length} bytes`);
  }
  for (const [index, file] of files.entries()) {
    for (const strange of ["sourceMappingURL", "file://", REPOSITORY, "url(", "@import"]) {
      const isCss = served[index]?.endsWith(".css") ?? false;
      const isOfScripts = strange === "url(" || strange === "@import";
      assert.ok(!file.includes(strange) || isOfScripts && !isCss, `${served[index]}: ${strange}`);
    }
  }
  // The licenses of the bundled packages name their authors.
  for (const name of ["preact", "marked", "codemirror"]) {
    assert.match(await text(`${name}.LICENSE.txt`), /Permission is hereby granted/);
  }
});

Deno.test("server/dashboard/assets/app.js has no syntax newer than last year's browsers", async () => {
  // The bundler keeps the source's syntax, so the bundle would contain `using`.
  assert.doesNotMatch(await text("app.js"), /[;{}](?:await )?using \w/);
});

Deno.test("page never converts text to markup or code", () => {
  const client = join(REPOSITORY, "page");
  for (const path of filesBelow(client)) {
    const source = Deno.readTextFileSync(path);
    assert.doesNotMatch(
      source,
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|DOMParser/i,
      path,
    );
  }
});
