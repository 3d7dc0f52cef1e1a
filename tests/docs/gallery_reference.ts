// The table of the gallery's agents. Each cell is read from the agent's file.
import { join } from "node:path";
import { splitFrontMatter } from "../../runtime/config/files/front_matter.ts";
import { parse } from "../../runtime/config/files/yaml_library.ts";
import { GALLERY_NAMES } from "../../present/gallery_names.ts";
import { REPOSITORY } from "../support/repository.ts";
import { code, tableOf } from "./markdown_table.ts";

/** The front matter of an agent in the gallery, as far as it shows rights and costs. */
export interface GalleryFile {
  description: string;
  enabled?: boolean;
  trigger?: { type: string; every?: string; cron?: string; paths?: string[] };
  mail?: string;
  paths: Record<string, string>;
  tools: string[];
  auto_approve?: string[];
  shell?: { allow: string[]; net?: string[] };
  settings: { max_execution_tokens: number };
}

/** Returns the front matter of an agent in the gallery, and the notes at its top. */
export function readGalleryFile(name: string): { head: GalleryFile; notes: string[] } {
  const path = join(REPOSITORY, "examples/gallery/agents", `${name}.md`);
  const parts = splitFrontMatter(Deno.readTextFileSync(path));
  if (parts === "unterminated" || parts.yaml === null) throw new TypeError(`${path}: no head`);
  const notes = parts.yaml.split("\n").filter((line) => line.startsWith("# "))
    .map((line) => line.slice(2));
  return { head: parse(parts.yaml), notes };
}

/** Returns the test case and the tokens that an agent's note names. */
export function costOf(name: string): { testCase: string; tokens: number } {
  for (const note of readGalleryFile(name).notes) {
    const [, testCase, tokens] =
      /^A run like its test case ([\w-]+) takes about ([\d,]+) tokens\.$/.exec(note) ?? [];
    if (testCase !== undefined) return { testCase, tokens: Number(tokens?.replaceAll(",", "")) };
  }
  throw new TypeError(`${name} has no note about its cost`);
}

/** Returns the table of the gallery. */
export function galleryTable(): string {
  return tableOf(
    ["Agent", "Task", "Starts", "Files", "Web", "Commands", "A run"],
    GALLERY_NAMES.map((name) => {
      const { head } = readGalleryFile(name);
      return [
        `[${name}](../../examples/gallery/agents/${name}.md)`,
        head.description,
        startOf(head),
        filesOf(head),
        webOf(head),
        (head.shell?.allow ?? []).map(code).join(", "),
        costOf(name).tokens.toLocaleString("en-US"),
      ];
    }),
  );
}

function startOf({ trigger }: GalleryFile): string {
  if (trigger === undefined) return "on request";
  const { type, every, cron, paths = [] } = trigger;
  if (type === "mail") return "a mail";
  if (type === "change") return "a change of a page";
  if (every !== undefined) return `every ${code(every)}`;
  return cron === undefined ? `a file in ${paths.map(code).join(", ")}` : code(cron);
}

function filesOf({ paths, tools, auto_approve: free = [] }: GalleryFile): string {
  const has = (tool: string) => !tools.includes(`-${tool}`);
  if (!has("file_read")) return "none";
  const rights = !has("file_write") ? "reads" : free.includes("file_write") ? "writes" : "asks";
  return `${rights} ${Object.values(paths).map(code).join(", ")}`;
}

function webOf({ tools, shell, mail }: GalleryFile): string {
  const parts = [
    ...(mail === undefined ? [] : [tools.includes("-mail_draft") ? "reads mails" : "drafts mails"]),
    ...(tools.includes("web_search") ? ["searches"] : []),
    ...(tools.includes("-http_request") ? [] : ["reads"]),
    ...(shell?.net ?? []).map(code),
  ];
  return parts.join(", ");
}
