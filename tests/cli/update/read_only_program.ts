// Asks for leave to replace an executable and prints the refusal. A program of its own, because a test that runs as
// root is refused nothing: deno run read_only_program.ts <executable>
import { openSwapPlaces } from "../../../cli/update/binary_swap.ts";

if (import.meta.main) {
  try {
    await using places = await openSwapPlaces(Deno.args[0] ?? "");
    console.log(`granted ${places.path}`);
  } catch (error) {
    console.log(error instanceof Error ? `${error.name}: ${error.message}` : error);
  }
}
