// Lists the processes of this machine and their open files with `ps` and `ls`, because Deno reads /proc only with all
// permissions.

/** One process of this machine. */
export interface ProcessRow {
  pid: number;
  parent: number;
  /** Resident memory in kilobytes. */
  rss: number;
  isZombie: boolean;
  command: string;
}

/** Returns all processes of this machine. */
export async function listProcesses(): Promise<ProcessRow[]> {
  const text = await outputOf("ps", ["-e", "-o", "pid=,ppid=,rss=,stat=,args="]);
  return text.split("\n").flatMap((line) => {
    const found = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line);
    if (found === null) return [];
    const [, pid, parent, rss, state = "", command = ""] = found;
    return [{
      pid: Number(pid),
      parent: Number(parent),
      rss: Number(rss),
      isZombie: state.startsWith("Z"),
      command,
    }];
  });
}

/** Returns all descendants of a process. */
export function descendantsOf(table: readonly ProcessRow[], pid: number): ProcessRow[] {
  const children = table.filter(({ parent }) => parent === pid);
  return [...children, ...children.flatMap((child) => descendantsOf(table, child.pid))];
}

/** Returns the target of each open file descriptor of a process. Works on Linux only. */
export async function openFiles(pid: number): Promise<string[]> {
  const text = await outputOf("ls", ["-l", `/proc/${pid}/fd`]);
  return text.split("\n").flatMap((line) => {
    const found = / -> (.*)$/.exec(line);
    return found === null ? [] : [found[1] ?? ""];
  });
}

/** Returns the resident memory of a process in megabytes. */
export async function residentMb(pid: number): Promise<number> {
  return Number(await outputOf("ps", ["-o", "rss=", "-p", String(pid)])) / 1_024;
}

/**
 * Returns the processor time of a process so far in milliseconds, from fields 14 and 15 of /proc/…/stat, which count
 * hundredths of a second.
 */
export async function processorMs(pid: number): Promise<number> {
  // Read the file with a program, because Deno opens /proc only with all permissions.
  const stat = await outputOf("cat", [`/proc/${pid}/stat`]);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function outputOf(program: string, args: string[]): Promise<string> {
  const { stdout } = await new Deno.Command(program, {
    args,
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).output();
  return new TextDecoder().decode(stdout);
}
