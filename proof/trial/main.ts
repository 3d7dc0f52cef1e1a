// `deno task trial`: tries the shipped npm package and executable completely. The trial takes minutes, needs a package
// registry and much disk space, so the test suite contains only a sample.
import { tryExecutable } from "./executable_trial.ts";
import { tryNpmPackage } from "./npm_trial.ts";

await tryNpmPackage();
await tryExecutable();
