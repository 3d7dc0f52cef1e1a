// Runs a command with a PostgreSQL server of its own, whose address is in INKLING_TEST_POSTGRES.
import { startPostgres } from "./postgres.ts";

await using server = await startPostgres();
const [program = "", ...args] = Deno.args;
const { code } = await new Deno.Command(program, {
  args,
  env: { INKLING_TEST_POSTGRES: server.address, INKLING_TEST_DATABASE: "postgres" },
  stdin: "null",
}).spawn().status.then((ended) => ended, (error) => {
  console.error(`Cannot run ${program}: ${error.message}`);
  return { code: 1 };
});
Deno.exitCode = code;
