// Needs as Deno's flags, each with the reasons for it: no value twice, none that another one covers.
import { isWithin } from "../tools/files/place.ts";
import { type PermissionKind, type PermissionNeed, splitHost } from "./permission_need.ts";

/** One flag, and why it is there: a sentence for a person. */
export interface PermissionFlag {
  flag: string;
  why: string;
}

/** The flags that needs come to. */
export interface PermissionFlags {
  /** In the order in which they are best read. Deno joins flags of the same name. */
  flags: PermissionFlag[];
  /** What these flags cannot hold, as sentences. */
  remarks: string[];
}

const MOST_REASONS = 3;

const FIRST: readonly PermissionFlag[] = [
  { flag: "--no-prompt", why: "what no flag allows is refused; nobody is asked" },
  { flag: "--no-remote", why: "no code is loaded from the network" },
  { flag: "--frozen", why: "no packages but those of the lock file" },
  {
    flag: "--allow-sys",
    why:
      "the machine's name and addresses, and the umask around the socket, which Deno has no smaller flag for",
  },
  { flag: "--ignore-env", why: "variables that no flag allows read as if they were not set" },
];

/**
 * The flags of needs. `closed` are folders that stay closed to writing inside of those that are open. Nothing in them
 * lists a program: see RUN.
 */
export function toPermissionFlags(
  needs: readonly PermissionNeed[],
  { closed }: { closed: readonly string[] },
): PermissionFlags {
  const isListable = ({ value }: PermissionNeed) => !value.includes(",");
  const merged = mergeNeeds(needs.filter(isListable));
  const left = needs.filter((need) => !isListable(need));
  return {
    flags: [
      ...FIRST,
      ...flagsOf(merged, "read"),
      ...flagsOf(merged, "write"),
      ...closed.filter((path) => !path.includes(",")).map((path) => ({
        flag: `--deny-write=${path}`,
        why: "tools, skills, servers and keys: people change them, nothing here does",
      })),
      ...flagsOf(merged, "net"),
      ...flagsOf(merged, "env"),
      ...runFlag(merged),
    ],
    remarks: [...new Set(left.map(({ value }) => value))].map((value) =>
      `${value} is left out: a flag cannot hold a comma; give it another name`
    ),
  };
}

/**
 * Decision: without a list. Custom tools, .ts scripts of skills (processes of Inkling's own), .py and .sh scripts and MCP
 * programs may all start children of their own, so each is ended as a process group; and Deno lets nobody signal a group,
 * nor any process but a child itself, who has a list (measured with 2.9.6; rejected: ending the child alone, and `kill` as a
 * program, which whoever may start it may aim at everything). What is started is not bound by these flags.
 */
const RUN =
  "without a list, or Deno ends no group of processes; what is started is not bound by these flags, " +
  "but for custom tools and .ts scripts, which get narrower ones";

function runFlag(needs: ReadonlyMap<string, PermissionNeed[]>): PermissionFlag[] {
  const reasons = needs.get("run ");
  if (reasons === undefined) return [];
  return [{ flag: "--allow-run", why: `${reasonsOf(reasons)}; ${RUN}` }];
}

/** Needs by kind and value. */
function mergeNeeds(needs: readonly PermissionNeed[]): Map<string, PermissionNeed[]> {
  return Map.groupBy(needs, ({ kind, value }) => `${kind} ${value}`);
}

function flagsOf(
  needs: ReadonlyMap<string, PermissionNeed[]>,
  kind: Exclude<PermissionKind, "run">,
): PermissionFlag[] {
  const groups = [...needs.values()].filter(([first]) => first?.kind === kind);
  const values = groups.flatMap(([first]) => first?.value ?? []);
  const explained = groups.flatMap((group) => {
    const value = group[0]?.value ?? "";
    if (values.some((other) => other !== value && covers(kind, other, value))) return [];
    return [{ value, why: reasonsOf(group) }];
  });
  // A path a line can be read; of names those with the same reason are shorter together.
  const key = kind === "read" || kind === "write" ? "value" : "why";
  return [...Map.groupBy(explained, (one) => one[key]).values()].map((same) => ({
    flag: `--allow-${kind}=${same.map(({ value }) => value).join(",")}`,
    why: same[0]?.why ?? "",
  }));
}

/** Whether who may use one value may use the other. */
function covers(kind: PermissionKind, wide: string, narrow: string): boolean {
  switch (kind) {
    case "read":
    case "write":
      return isWithin(narrow, wide);
    case "net": {
      const { hostname, port } = splitHost(narrow);
      return port !== undefined && hostname === wide;
    }
    case "env":
      return wide.endsWith("*") && narrow.startsWith(wide.slice(0, -1));
    case "run":
      return false;
    default:
      return kind satisfies never;
  }
}

function reasonsOf(needs: readonly PermissionNeed[]): string {
  const reasons = [...new Set(needs.map(({ why }) => why))];
  const more = reasons.length - MOST_REASONS;
  return reasons.slice(0, MOST_REASONS).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
