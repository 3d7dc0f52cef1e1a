// Tests that the agents of the gallery have the rights and costs that the documentation names, and no others.
import assert from "node:assert/strict";
import { join } from "node:path";
import { SystemClock } from "../../base/clock.ts";
import { openTestPorts, type TestPorts } from "../../ops/testing/test_ports.ts";
import { GALLERY_NAMES } from "../../present/gallery_names.ts";
import { costOf, readGalleryFile } from "../docs/gallery_reference.ts";
import { createExampleWorkspace, exampleFiles, EXAMPLES } from "./example_workspace.ts";
import { estimateCase } from "./gallery_cost.ts";

Deno.test("the gallery: every file is a listed agent", () => {
  const files = exampleFiles("gallery").filter((file) => /^agents\/[^/]+\.md$/.test(file));
  assert.deepEqual(files, GALLERY_NAMES.map((name) => `agents/${name}.md`));
});

Deno.test("the gallery: no agent fires, writes outside of its paths or runs any command unasked", () => {
  for (const name of GALLERY_NAMES) {
    const { head, notes } = readGalleryFile(name);
    assert.ok(head.trigger === undefined || head.enabled === false, name);
    const free = head.auto_approve ?? [];
    assert.deepEqual(
      free.filter((tool) => tool !== "file_write" && tool !== "file_edit"),
      [],
      name,
    );
    for (const path of Object.values(head.paths)) assert.match(path, /^[\w.]+(\/[\w.]+)*$/, name);
    for (const tool of ["file_delete", "file_move"]) assert.ok(head.tools.includes(`-${tool}`));
    for (const command of head.shell?.allow ?? []) assert.match(command, /^\w+ \S+/, name);
    assert.ok(head.settings.max_execution_tokens <= 500_000, name);
    assert.match(notes[0] ?? "", /^Before the first run: .*\.$/, name);
    const text = Deno.readTextFileSync(join(EXAMPLES, `gallery/agents/${name}.md`));
    assert.match(
      text.replaceAll(/\s+/g, " "),
      /(follow no|follow none|is no instruction|never repair)/,
      name,
    );
  }
});

Deno.test("the gallery: an agent that writes and reads the web reaches only its own folder", () => {
  const both = GALLERY_NAMES.filter((name) => {
    const { tools } = readGalleryFile(name).head;
    return !tools.includes("-http_request") && !tools.includes("-file_write");
  });
  assert.deepEqual(both, ["research-report", "rss-digest"]);
  for (const name of both) assert.equal(Object.keys(readGalleryFile(name).head.paths).length, 1);
});

const opened = new AsyncDisposableStack();
let ports: TestPorts;

Deno.test.beforeAll(async () => {
  const place = opened.use(await createExampleWorkspace("gallery"));
  const config = join(place.configDir, "config.yaml");
  const search = "search: { provider: searxng, base_url: 'http://127.0.0.1:9' }\n";
  await Deno.writeTextFile(config, search, { append: true });
  const around = { clock: new SystemClock(), version: "0" };
  ports = opened.use(await openTestPorts(await place.settings(), around));
});
Deno.test.afterAll(() => opened.disposeAsync());

for (const name of GALLERY_NAMES) {
  Deno.test(`the gallery: the tokens of ${name} are those of its test case and of its prompt`, async () => {
    const { testCase, tokens } = costOf(name);
    const replies = await estimateCase(ports, { agentId: name, name: testCase });
    const sum = replies.reduce((all, { input, output }) => all + input + output, 0);
    assert.ok(Math.abs(sum - tokens) < sum / 10, `${tokens}, estimated ${sum}`);
    const file = join(EXAMPLES, "gallery/agents/_config/tests", name, `${testCase}.yaml`);
    const written = [...Deno.readTextFileSync(file).matchAll(/(?:input|output)_tokens: (\d+)/g)]
      .reduce((all, [, count]) => all + Number(count), 0);
    assert.ok(Math.abs(written - tokens) <= 50, `${tokens}, in the case ${written}`);
  });
}
