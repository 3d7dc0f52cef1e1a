// Compiles a folder as `deno task compile` compiles the program. Arguments: the folder, the executable and its machine.
// This is a separate process, because an environment variable names the runtime image.
import { compileExecutable } from "../../release/executable.ts";
import { parseTarget } from "../../release/target.ts";
import { runTask } from "../../release/task.ts";

const [folder = "", output = "", target = ""] = Deno.args;
Deno.exit(await runTask(() => compileExecutable(folder, { target: parseTarget(target), output })));
