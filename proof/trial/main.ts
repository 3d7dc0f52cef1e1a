// `deno task trial`: what is shipped, whole. Minutes, a registry and much disk: too much for the suite, which tries the same
// with a sample, and starts the build in its end-to-end tests.
import { tryExecutable } from "./executable_trial.ts";
import { tryNpmPackage } from "./npm_trial.ts";

await tryNpmPackage();
await tryExecutable();
