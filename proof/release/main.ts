// `deno task release:check`: the dry run of a release.
import { checkRelease } from "./release_check.ts";

await checkRelease();
