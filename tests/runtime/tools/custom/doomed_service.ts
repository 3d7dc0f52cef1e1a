// Calls an endless custom tool, prints the tool's process id, and waits to be killed.
import { ToolWorld } from "./tool_world.ts";

const world = await ToolWorld.open();
await world.writeTool(
  "endless",
  `console.log(Deno.pid); await context.resolvePath("."); for (;;);`,
);
const [tool] = await world.openTools("endless");
console.log(world.fixture.base);
await tool?.run({}, { ...world.context(), log: (line) => console.log(line.split(" ").at(-1)) });
