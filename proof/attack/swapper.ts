// Compiles and runs a program that swaps two directory entries in an endless loop, as fast as the system can.

const SOURCE = `
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <signal.h>
#include <unistd.h>
int main(int count, char **names) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (;;) {
    if (renameat2(AT_FDCWD, names[1], AT_FDCWD, names[2], RENAME_EXCHANGE)) {
      if (errno != ENOENT) return 1;
      usleep(1000);
    }
  }
}
`;

/**
 * Compiles the program into a folder and returns its path; undefined without a C compiler or without the needed system
 * call.
 */
export async function compileSwapper(folder: string): Promise<string | undefined> {
  if (Deno.build.os !== "linux") return undefined;
  const [source, program] = [`${folder}/swapper.c`, `${folder}/swapper`];
  await Deno.writeTextFile(source, SOURCE);
  const args = ["-O2", "-o", program, source];
  try {
    const { success } = await new Deno.Command("cc", { args, stderr: "null" }).output();
    return success ? program : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** A running process that swaps two paths, whenever both exist, until it is disposed. */
export class Swapper implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;

  constructor(program: string, { one, other }: { one: string; other: string }) {
    const args = [one, other];
    this.#child = new Deno.Command(program, { args, stdout: "null", stderr: "null" }).spawn();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.status;
  }
}
