// Prints the path of the package's Deno. If npm was told to run no install scripts, this program first installs that Deno.
try {
  console.log(require("deno/install_api.cjs").runInstall());
} catch (error) {
  const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
  console.error(`Inkling cannot start, because its Deno is missing: ${reason}`);
  console.error("Install the package again, with its optional dependencies");
  process.exit(1);
}
