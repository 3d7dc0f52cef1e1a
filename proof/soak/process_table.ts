// The processes of this machine and their resources, from `ps` and `ls`: reading /proc itself needs every permission.

/** One line of the table. */
export interface ProcessRow {
  pid: number;
  parent: number;
  /** Kilobytes. */
  rss: number;
  isZombie: boolean;
  command: string;
}

/** Returns all processes. */
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

/** Returns the children of a process, and their descendants. */
export function descendantsOf(table: readonly ProcessRow[], pid: number): ProcessRow[] {
  const children = table.filter(({ parent }) => parent === pid);
  return [...children, ...children.flatMap((child) => descendantsOf(table, child.pid))];
}

/** Returns the target of each open file descriptor of a process. Linux only. */
export async function openFiles(pid: number): Promise<string[]> {
  const text = await outputOf("ls", ["-l", `/proc/${pid}/fd`]);
  return text.split("\n").flatMap((line) => {
    const found = / -> (.*)$/.exec(line);
    return found === null ? [] : [found[1] ?? ""];
  });
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
