// Compiles a folder as `deno task compile` compiles a stage: arguments are the folder, the executable and its machine. A process of
// its own, because the environment says where the runtime image is.
import { compileExecutable } from "../../release/executable.ts";
import { parseTarget } from "../../release/target.ts";
import { runTask } from "../../release/task.ts";

const [folder = "", output = "", target = ""] = Deno.args;
Deno.exit(await runTask(() => compileExecutable(folder, { target: parseTarget(target), output })));
