// Tests of the GitHub workflows: pinned actions, minimal permissions, existing tasks, and the same version of Deno
// everywhere.
import assert from "node:assert/strict";
import { join } from "node:path";
import { parse } from "yaml";
import denoJson from "../../deno.json" with { type: "json" };
import { DENO_VERSION } from "../../release/product.ts";
import { TARGETS } from "../../release/target.ts";
import { REPOSITORY } from "../support/repository.ts";

interface Step {
  uses?: string;
  run?: string;
  env?: Record<string, string>;
  with?: Record<string, unknown>;
}
interface Job {
  permissions?: Record<string, string>;
  "timeout-minutes"?: number;
  needs?: string | string[];
  strategy?: { matrix: { include?: { target: string }[] } };
  steps: Step[];
}
interface Workflow {
  on: Record<string, unknown>;
  permissions: Record<string, string>;
  jobs: Record<string, Job>;
}

const read = (file: string) => Deno.readTextFileSync(join(REPOSITORY, file));
const text = (name: string) => read(`.github/workflows/${name}.yml`);
const workflow = (name: string) =>
  parse(text(name), { strict: true, uniqueKeys: true }) as Workflow;
const stepsOf = ({ jobs }: Workflow) => Object.values(jobs).flatMap(({ steps }) => steps);

for (const name of ["ci", "release"]) {
  Deno.test(`${name}.yml may only read the sources, except for its publishing job`, () => {
    const { permissions, jobs } = workflow(name);
    assert.deepEqual(permissions, { contents: "read" });
    for (const [id, job] of Object.entries(jobs)) {
      assert.equal(job.permissions !== undefined, id === "publish", id);
      assert.ok((job["timeout-minutes"] ?? 0) > 0, `${id} may run for hours`);
    }
  });

  Deno.test(`${name}.yml pins its actions and runs only existing tasks and files`, () => {
    for (const { uses = "actions/none@v0", run = "", with: given } of stepsOf(workflow(name))) {
      assert.match(uses, /^actions\/[a-z-]+@v\d+$/);
      if (uses.startsWith("actions/checkout@")) assert.equal(given?.["persist-credentials"], false);
      // Commands contain no expressions, because those could insert foreign text.
      assert.doesNotMatch(run, /\$\{\{/);
      for (const [, task = ""] of run.matchAll(/deno task (?:--quiet )?(\S+)/g)) {
        assert.ok(task in denoJson.tasks, task);
      }
      for (const [file = ""] of run.matchAll(/(?<![\w/.])(\.ci|release)\/\w+(\.sh)?(?= |$)/gm)) {
        assert.equal((Deno.statSync(join(REPOSITORY, file)).mode ?? 0) & 0o100, 0o100, file);
      }
    }
  });
}

Deno.test("ci.yml runs .ci/run and tries an executable", () => {
  const { on } = workflow("ci");
  assert.deepEqual(Object.keys(on).sort(), ["pull_request", "push"]);
  assert.deepEqual(workflow("ci").jobs["newcomer"]?.steps.flatMap(({ run = [] }) => run), [
    ".ci/run",
    `npm install --global deno@${DENO_VERSION}`,
    "deno task compile",
    "release/try_executable.sh dist/inkling",
    "sudo apt-get install --yes minisign",
    "deno task release:check",
  ]);
});

Deno.test("ci.yml builds the image and tries it", () => {
  const commands = workflow("ci").jobs["container"]?.steps.flatMap(({ run = [] }) => run);
  assert.deepEqual(commands, [
    "docker build --file Containerfile --tag inkling .",
    "release/try_container.sh inkling",
  ]);
});

Deno.test("release.yml gives the signing key only to one step of the publishing job", () => {
  const { jobs } = workflow("release");
  assert.equal(text("release").match(/secrets\./g)?.length, 1);
  const steps = jobs["publish"]?.steps ?? [];
  const signing = steps.filter(({ env }) => env?.["INKLING_SIGNING_KEY"] !== undefined);
  assert.deepEqual(signing.map(({ run }) => run), ["deno task release:sign --folder dist/release"]);
  // The job signs the files that were tried, and builds none.
  assert.ok(steps.every(({ run = "" }) => !/deno task (?!release:sign)/.test(run)));
});

Deno.test("release.yml publishes a release only after npm has the package", () => {
  const commands = (workflow("release").jobs["publish"]?.steps ?? []).flatMap(({ run = [] }) =>
    run
  );
  const [draft = "", npm = "", show = ""] = commands.slice(-3);
  assert.match(draft, /^gh release create .* --draft /);
  // npm would read a path without "./" as the name of a repository.
  assert.match(npm, /^npm publish .* \.\/dist\/release\/inkling-\*\.tgz$/);
  assert.match(show, /^gh release edit .* --draft=false/);
});

Deno.test("release.yml publishes only tested files, and only for a version's tag", () => {
  const { on, jobs } = workflow("release");
  assert.deepEqual(on, { push: { tags: ["v*"] } });
  assert.deepEqual(jobs["publish"]?.needs, ["executable", "package"]);
  for (const id of ["executable", "package"]) assert.equal(jobs[id]?.needs, "build");
  const tried = jobs["executable"]?.strategy?.matrix.include?.map(({ target }) => target);
  assert.deepEqual(tried?.toSorted(), [...TARGETS].sort());
});

Deno.test("every file that names a version of Deno names the running version", () => {
  assert.equal(Deno.version.deno, DENO_VERSION);
  for (
    const file of [
      "README.md",
      "Containerfile",
      ".github/workflows/ci.yml",
      ".github/workflows/release.yml",
    ]
  ) {
    const named = [...read(file).matchAll(/deno@(\d[\w.]*)/g)].map(([, version]) => version);
    assert.ok(named.length > 0, file);
    assert.deepEqual(new Set(named), new Set([DENO_VERSION]), file);
  }
});
