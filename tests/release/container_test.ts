// Tests of the container image: the Containerfile and the compose files agree, and the entry point works with the rights
// that these files grant. No test builds the image: a job of ci.yml does.
import assert from "node:assert/strict";
import { join } from "node:path";
import { validate } from "dockerfile-utils";
import { parse } from "yaml";
import { copyTree } from "../../release/folder.ts";
import { DENO_VERSION } from "../../release/product.ts";
import { REPOSITORY } from "../support/repository.ts";
import { createTempDir } from "../support/temp_dir.ts";
import { builtPackage } from "./built_package.ts";

const read = (file: string) => Deno.readTextFileSync(join(REPOSITORY, file));
const CONTAINERFILE = read("Containerfile");
const BWRAP = "/usr/bin/bwrap";
const hasBwrap = await Deno.stat(BWRAP).then(() => true, () => false);

/** Returns the values of an instruction in the last stage. */
function instruction(name: string): string[] {
  const stage = CONTAINERFILE.slice(CONTAINERFILE.lastIndexOf("\nFROM ")).replaceAll("\\\n", " ");
  return [...stage.matchAll(new RegExp(`^\\s*${name} (.*)$`, "gm"))].map(([, value = ""]) => value);
}

/** Returns the words of an instruction in JSON form. */
function words(name: string): string[] {
  return JSON.parse(/\[.*\]$/.exec(instruction(name).join())?.[0] ?? "[]");
}

/** The part of a service in a compose file that these tests read. */
interface Service {
  build?: { context: string; dockerfile: string };
  read_only?: boolean;
  tmpfs?: string[];
  cap_drop?: string[];
  security_opt?: string[];
  ports?: string[];
  volumes?: string[];
}
const servicesOf = (file: string): Record<string, Service> =>
  parse(read(file), { merge: true }).services;

Deno.test("the Containerfile has no errors, and its image runs as an unprivileged user", () => {
  assert.deepEqual(validate(CONTAINERFILE), []);
  assert.ok(CONTAINERFILE.includes(`npm install --global deno@${DENO_VERSION}\n`));
  assert.deepEqual(instruction("USER"), ["1000:1000"]);
  assert.deepEqual(words("VOLUME"), ["/workspace", "/state"]);
  assert.deepEqual(instruction("ENV"), [
    "INKLING_CONFIG_DIR=/config INKLING_STATE_DIR=/state HOME=/home/inkling",
  ]);
  assert.deepEqual([...words("ENTRYPOINT"), ...words("CMD").slice(0, 1)], ["inkling", "start"]);
});

Deno.test("the compose files start the image with a read-only root and no capabilities", () => {
  const here = servicesOf("compose.yaml");
  const many = servicesOf("docs/examples/many-machines/compose.yaml");
  const { alpha, beta, gamma } = many;
  for (const [service, context] of [[here["inkling"], "."], [alpha, "../../.."]] as const) {
    assert.deepEqual(service?.build, { context, dockerfile: "Containerfile" });
  }
  for (const service of [here["inkling"], alpha, beta, gamma]) {
    assert.equal(service?.read_only, true);
    assert.deepEqual(service?.tmpfs, ["/tmp"]);
    assert.deepEqual(service?.cap_drop, ["ALL"]);
    assert.ok(service?.security_opt?.includes("no-new-privileges:true"));
    const places = service?.volumes?.map((volume) => volume.split(":")[1]);
    assert.deepEqual(places, words("VOLUME"));
  }
  // Only this machine reaches the port, which is not encrypted.
  assert.deepEqual(here["inkling"]?.ports, ["127.0.0.1:8420:8420"]);
  const [port] = words("CMD").slice(words("CMD").indexOf("--port") + 1);
  assert.deepEqual(instruction("EXPOSE"), [port]);
});

Deno.test("the build context of the image leaves out keys and the workspace", () => {
  const left = read(".dockerignore").split("\n");
  for (const one of [".env", "*.key", ".git", "workspace"]) assert.ok(left.includes(one), one);
});

Deno.test({
  name:
    "the entry point of the image serves with a read-only root, is healthy, and ends at a SIGTERM",
  ignore: !hasBwrap,
  async fn() {
    const { directory } = await builtPackage();
    await using temp = await createTempDir();
    const place = (name: string) => join(temp.path, name);
    await copyTree(directory, place("inkling"));
    await Deno.chmod(place("inkling/bin/inkling"), 0o755);
    for (const name of ["state", "workspace", "config"]) await Deno.mkdir(place(name));
    const [, config = ""] = /printf '([^']*)' >\/config\/config\.yaml/.exec(CONTAINERFILE) ?? [];
    await Deno.writeTextFile(place("config/config.yaml"), config.replace("\\n", "\n"));
    const health = words("HEALTHCHECK").map((word) => `'${word.replaceAll("'", "'\\''")}'`)
      .join(" ");
    const start = [...words("ENTRYPOINT"), ...words("CMD")].join(" ");
    // The shell opens the output of a background command later, so the file is created before.
    const script = `
      : > /tmp/started
      ${start} > /tmp/started & service=$!
      while kill -0 $service && ! grep -q tcp: /tmp/started; do sleep 0.1; done
      cat /tmp/started
      ${health} && echo healthy
      touch /opt/x /config/x 2>/dev/null || echo read-only
      kill -TERM $service; wait $service; echo "ended $?"
      ${health} || echo not healthy`;
    const modules = "/opt/inkling/node_modules";
    const { code, stdout, stderr } = await new Deno.Command(BWRAP, {
      args: [
        ...["--unshare-all", "--die-with-parent", "--uid", "1000", "--gid", "1000", "--clearenv"],
        ...["--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"],
        ...["bin", "lib", "lib64"].flatMap((name) => ["--symlink", `usr/${name}`, `/${name}`]),
        ...["--ro-bind", place("inkling"), `${modules}/inkling`],
        ...["--ro-bind", await Deno.realPath(Deno.execPath()), `${modules}/deno/deno`],
        ...["--symlink", `${modules}/inkling/bin/inkling`, "/run/bin/inkling"],
        ...["--bind", place("state"), "/state", "--bind", place("workspace"), "/workspace"],
        ...["--ro-bind", place("config"), "/config", "--remount-ro", "/"],
        ...["--setenv", "PATH", "/run/bin:/usr/bin:/bin"],
        ...["--setenv", "INKLING_API_KEY", "0123456789abcdef0123456789abcdef"],
        ...instruction("ENV").join(" ").split(" ").flatMap((
          one,
        ) => ["--setenv", ...one.split("=")]),
        ...["sh", "-c", script],
      ],
    }).output();
    const [out = "", err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    assert.equal(code, 0, `${out}${err}`);
    assert.equal(err, "");
    assert.match(out, /tcp:\/\/0\.0\.0\.0:8420/);
    assert.match(out, /^healthy\nread-only\n(.*\n)*ended 0\nnot healthy\n$/m, `${out}${err}`);
  },
});
