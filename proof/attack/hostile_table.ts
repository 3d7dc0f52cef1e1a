// Lists programs that try to escape from the sandbox, each in another way. A program succeeds if it prints BREACH or the
// content of a foreign file, or leaves a trace outside.

/** The language of a program, which decides how the program is started. */
export type Language = "sh" | "python" | "node" | "c" | "tool";

/**
 * A hostile program. In the source, `@BASE@`, `@HOME@`, `@WORK@`, `@PORT@`, `@PID@` and `@SOCKET@` are placeholders for the
 * program's targets.
 */
export interface HostileProgram {
  name: string;
  language: Language;
  source: string;
}

const read = (name: string, path: string): HostileProgram => ({
  name: `read ${name}`,
  language: "sh",
  source: `cat "${path}"`,
});

const sh = (name: string, source: string): HostileProgram => ({ name, language: "sh", source });
const python = (name: string, source: string): HostileProgram => ({
  name,
  language: "python",
  source: `import ctypes, errno, os, signal, socket, sys, time\n${source}`,
});
const node = (name: string, source: string): HostileProgram => ({
  name,
  language: "node",
  source: `const fs = require("fs"), net = require("net");\n${source}`,
});
const c = (name: string, body: string): HostileProgram => ({
  name,
  language: "c",
  source:
    `#define _GNU_SOURCE\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n#include <fcntl.h>\n` +
    `#include <sched.h>\n#include <signal.h>\n#include <sys/ptrace.h>\n#include <sys/wait.h>\n#include <sys/mount.h>\n#include <sys/uio.h>\n` +
    `#include <sys/mman.h>\n#include <sys/ioctl.h>\n#include <sys/stat.h>\n#include <sys/sysmacros.h>\n` +
    `int main(void) { char b[4096] = {0}; (void)b; ${body} return 0; }\n`,
});
const tool = (name: string, body: string): HostileProgram => ({
  name,
  language: "tool",
  source: body,
});

/** Returns the code of a tool that returns the value of an expression as its result. */
const show = (expression: string) => `return String(${expression});`;

/** All hostile programs. */
export const HOSTILE_PROGRAMS: readonly HostileProgram[] = [
  // Programs that read foreign keys and files by their paths.
  read("a foreign file", "@BASE@/outside/secret.txt"),
  read("an .env file in the workspace", "@WORK@/.env"),
  read("an .env file below it", "@WORK@/notes/deep/.env.local"),
  read("Inkling's configuration", "@BASE@/config/config.yaml"),
  read("Inkling's state", "@BASE@/state/inkling.db"),
  read("an agent's file", "@WORK@/agents/me.md"),
  read("a key in the home", "@HOME@/.ssh/id_ed25519"),
  read("the home by another way", "@WORK@/../home/secret.txt"),
  sh(
    "read the system's passwords",
    "test -s /etc/shadow && head -c 1 /etc/shadow >/dev/null && echo BREACH",
  ),
  // Programs that read through links and renames.
  sh("read through a link", "ln -sf @BASE@/outside/secret.txt l && cat l"),
  sh("read through a hard link", "ln -f @BASE@/outside/secret.txt h && cat h"),
  sh(
    "move the folder of an .env file",
    "mv notes/deep notes/moved; cat notes/moved/.env.local; mv notes/moved notes/deep",
  ),
  sh("copy an .env file", "cp .env copied; cat copied"),
  sh(
    "replace an .env file",
    "echo planted > p && mv -f p .env && grep -q planted .env && echo BREACH",
  ),
  // Programs that use /proc, file descriptors and the memory of other processes.
  sh("read another's environment", "cat /proc/@PID@/environ"),
  sh("read another's root", "cat /proc/@PID@/root@BASE@/outside/secret.txt"),
  sh("read the root of the first process", "cat /proc/1/root@BASE@/outside/secret.txt"),
  sh("read another's working folder", "cat /proc/@PID@/cwd/secret.txt"),
  sh(
    "read inherited descriptors",
    "for f in /proc/self/fd/*; do case $(readlink $f) in *state*|*config*) echo BREACH;; esac; done",
  ),
  python("signal another", "os.kill(@PID@, 0); print('BREACH')"),
  c(
    "trace another",
    'if (ptrace(PTRACE_ATTACH, @PID@, 0, 0) == 0) { puts("BREACH"); waitpid(@PID@, 0, 0); ptrace(PTRACE_DETACH, @PID@, 0, 0); }',
  ),
  c("read another's memory file", 'if (open("/proc/@PID@/mem", O_RDONLY) >= 0) puts("BREACH");'),
  c(
    "join another's namespaces",
    'int f = open("/proc/@PID@/ns/mnt", O_RDONLY); if (f >= 0 && setns(f, 0) == 0) { int s = open("@BASE@/outside/secret.txt", O_RDONLY); if (s >= 0 && read(s, b, 4000) > 0) puts(b); }',
  ),
  // Programs that need privileges over the machine.
  c(
    "mount",
    'if (mount("none", "@WORK@/notes", "tmpfs", 0, 0) == 0) { puts("BREACH"); umount("@WORK@/notes"); }',
  ),
  c("unmount what is closed", 'if (umount2("@WORK@/.env", MNT_DETACH) == 0) puts("BREACH");'),
  c("make a user namespace", 'if (unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0) puts("BREACH");'),
  c("change the root", 'if (chroot("@WORK@") == 0) puts("BREACH");'),
  c(
    "make a device",
    'if (mknod("@WORK@/dev0", S_IFBLK | 0600, makedev(254, 0)) == 0 && open("@WORK@/dev0", O_RDONLY) >= 0) { puts("BREACH"); } unlink("@WORK@/dev0");',
  ),
  c(
    "read the machine's disk",
    'if (open("/dev/vda", O_RDONLY) >= 0 || open("/dev/sda", O_RDONLY) >= 0 || open("/dev/mem", O_RDONLY) >= 0) puts("BREACH");',
  ),
  c(
    "type into a terminal",
    'int t = open("/dev/tty", O_RDWR); if (t >= 0 && ioctl(t, 0x5412, "x") == 0) puts("BREACH");',
  ),
  sh(
    "change the kernel's settings",
    'n=$(cat /proc/sys/kernel/core_pattern); echo "$n" > /proc/sys/kernel/core_pattern && echo BREACH',
  ),
  // Programs that write outside their folders.
  sh("write outside", "echo planted > @BASE@/outside/planted"),
  sh("write into the home", "echo planted > @HOME@/.planted"),
  sh("write an agent", "echo planted > @WORK@/agents/planted.md"),
  sh(
    "write the system's programs",
    "touch /usr/bin/inkling-planted && echo BREACH; rm -f /usr/bin/inkling-planted",
  ),
  python(
    "write another run's temporary file",
    "open('/tmp/inkling-attack-@PID@', 'w').write('planted')",
  ),
  // Programs that use the network and the sockets of this machine.
  python(
    "reach loopback",
    "s = socket.create_connection(('127.0.0.1', @PORT@), 3); s.sendall(b'GET / HTTP/1.0\\r\\n\\r\\n'); print(s.recv(9999).decode()); print(s.recv(9999).decode())",
  ),
  node(
    "reach loopback from Node",
    "net.connect(@PORT@, '127.0.0.1', () => { console.log('BREACH'); process.exit(); }).on('error', () => process.exit());",
  ),
  python(
    "reach loopback by the proxy",
    "import os, urllib.request as u; p = os.environ.get('HTTP_PROXY'); o = u.build_opener(u.ProxyHandler({'http': p} if p else {})); print(o.open('http://127.0.0.1:@PORT@/', timeout=3).read().decode())",
  ),
  python(
    "reach link-local addresses",
    "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect(('169.254.169.254', 80)); print('BREACH')",
  ),
  python(
    "reach a private network",
    "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect(('10.0.0.1', 80)); print('BREACH')",
  ),
  python(
    "reach the service's socket",
    "s = socket.socket(socket.AF_UNIX); s.connect('@SOCKET@'); print('BREACH')",
  ),
  node(
    "reach an abstract socket",
    "net.connect('\\0inkling-attack-@PID@', () => { console.log('BREACH'); process.exit(); }).on('error', () => process.exit());",
  ),
  sh(
    "find the session bus",
    "ls /run/user/*/bus /run/dbus/system_bus_socket /run/systemd/private 2>/dev/null | grep -q . && echo BREACH",
  ),
  sh("find X11", "ls /tmp/.X11-unix/inkling-attack-@PID@ 2>/dev/null | grep -q . && echo BREACH"),
  python(
    "listen where others connect",
    "s = socket.socket(); s.bind(('127.0.0.1', 0)); open('listening', 'w').write(str(s.getsockname()[1])); s.listen(); s.settimeout(1); s.accept(); print('BREACH')",
  ),
  // Programs that run forever or use up resources.
  sh(
    "outlive the run",
    "setsid sh -c 'sleep 0.7; echo x > @WORK@/notes/outlived' >/dev/null 2>&1 &",
  ),
  python(
    "outlive the run as a daemon",
    "if os.fork(): sys.exit()\nos.setsid()\nif os.fork(): sys.exit()\n[os.close(i) for i in range(3)]\ntime.sleep(0.7)\nopen('@WORK@/notes/outlived', 'w').write('x')",
  ),
  python(
    "fill memory",
    "import mmap\nx = mmap.mmap(-1, 6 * 1024 ** 3, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS); print('BREACH')",
  ),
  node(
    "fill memory from Node",
    "const all = []; for (let i = 0; i < 6; i++) all.push(new ArrayBuffer(2 ** 30)); console.log('BREACH');",
  ),
  python(
    "fill the temporary folder",
    "p = '/tmp/inkling-filled-@PID@'\nf = open(p, 'w')\ntry:\n  os.posix_fallocate(f.fileno(), 0, 600 * 1024 ** 2); print('BREACH')\nfinally: os.remove(p)",
  ),
  python(
    "fill shared memory",
    "p = '/dev/shm/inkling-filled-@PID@'\nf = open(p, 'w')\ntry:\n  os.posix_fallocate(f.fileno(), 0, 600 * 1024 ** 2); print('BREACH')\nfinally: os.remove(p)",
  ),
  python(
    "write a file without end",
    "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nf = open('endless', 'w')\ntry:\n  f.truncate(5 * 1024 ** 3); print('BREACH')\nfinally: os.remove('endless')",
  ),
  node(
    "read by import",
    "import('@BASE@/outside/secret.mjs').then((m) => console.log(m.default), () => {});",
  ),
  // Custom tools, which Deno's permissions restrict in addition to the sandbox.
  tool("read by path in a tool", show(`Deno.readTextFileSync("@BASE@/outside/secret.txt")`)),
  tool(
    "read by import in a tool",
    show(`(await import("@BASE@/outside/secret.txt", { with: { type: "text" } })).default`),
  ),
  tool("read an .env file in a tool", show(`Deno.readTextFileSync("@WORK@/.env")`)),
  tool(
    "read by node in a tool",
    show(`(await import("node:fs")).readFileSync("@HOME@/.ssh/id_ed25519")`),
  ),
  tool("read /proc in a tool", show(`Deno.readTextFileSync("/proc/@PID@/environ")`)),
  tool(
    "start a program in a tool",
    show(
      `new TextDecoder().decode(new Deno.Command("cat", { args: ["@BASE@/outside/secret.txt"] }).outputSync().stdout)`,
    ),
  ),
  tool("reach loopback in a tool", show(`await (await fetch("http://127.0.0.1:@PORT@")).text()`)),
  tool(
    "link out in a tool",
    `Deno.symlinkSync("@BASE@/outside", "@WORK@/notes/out"); return Deno.readTextFileSync("@WORK@/notes/out/secret.txt");`,
  ),
  tool(
    "write outside in a tool",
    `Deno.writeTextFileSync("@BASE@/outside/planted", "x"); return "written";`,
  ),
];
