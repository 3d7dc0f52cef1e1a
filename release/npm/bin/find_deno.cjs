// Prints where the Deno of this package is. npm may have been told to run no install scripts: then it is put in place now.
try {
  console.log(require("deno/install_api.cjs").runInstall());
} catch (error) {
  const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
  console.error(`Inkling's Deno is not there, so it cannot start: ${reason}`);
  console.error("Install the package again, with its optional dependencies");
  process.exit(1);
}
