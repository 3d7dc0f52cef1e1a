// `deno task trial`: what is shipped, whole. Seconds, a registry and much disk: too much for the suite, which tries the same
// with a sample.
import { tryExecutable } from "./executable_trial.ts";
import { tryNpmPackage } from "./npm_trial.ts";

await tryNpmPackage();
await tryExecutable();
