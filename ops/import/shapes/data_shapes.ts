// Reads files of other tools in YAML, JSON and TOML: recipes of goose, commands of Gemini, agents of Codex.
import { parse as parseToml } from "smol-toml";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { ALL_ARGUMENTS, convertText, named } from "../reading/body_text.ts";
import {
  applyRules,
  Draft,
  type FieldRules,
  lost,
  needless,
  runSetting,
  showField,
  text,
  toList,
  WRITERS,
} from "../reading/draft.ts";
import { readYaml } from "../reading/front_matter.ts";
import type { Shape } from "../reading/shape.ts";

/** Parses a file in TOML. Returns undefined for an invalid text. */
function readToml(content: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(JSON.stringify(parseToml(content)));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined; // The file is reported as no file of another tool.
  }
}

/** Returns the fields of a recipe, which the desktop program of goose puts under `recipe`. */
function readRecipe(content: string): JsonObject | undefined {
  const root = readYaml(content);
  const recipe = isJsonObject(root?.["recipe"]) ? root["recipe"] : root;
  const { title, instructions, prompt } = recipe ?? {};
  const isRecipe = typeof title === "string" &&
    (typeof instructions === "string" || typeof prompt === "string");
  return isRecipe ? recipe : undefined;
}

const SERVER_TYPES = ["stdio", "streamable_http", "sse"];

/** Reads an extension of goose: its own tools, or an MCP server. */
function readExtension(draft: Draft, extension: JsonValue): void {
  if (!isJsonObject(extension)) return;
  const { name, type, uri, ...entry } = extension;
  const label = typeof name === "string" ? name : "without a name";
  if (typeof type === "string" && SERVER_TYPES.includes(type)) {
    const { description: _, bundled: _b, available_tools: tools, timeout: _t, ...rest } = entry;
    draft.addServer(label, {
      ...rest,
      ...(uri !== undefined && { url: uri }),
      ...(Array.isArray(tools) && tools.length > 0 && { includeTools: tools }),
    });
  } else if (label === "developer") {
    draft.allowCommand("*", "the extension developer runs commands");
  } else if (label !== "memory") draft.lose(`the extension ${label}`, "it is a part of goose");
}

const GOOSE_SETTINGS: FieldRules = {
  goose_provider: needless,
  goose_model: needless,
  temperature: runSetting("temperature"),
  max_turns: runSetting("max_tool_calls"),
};

const GOOSE: FieldRules = {
  version: needless,
  title: needless,
  description: text((draft, value) => draft.setDescription(value)),
  instructions: needless,
  prompt: needless,
  parameters: needless,
  author: needless,
  activities: lost("they are suggestions for a window of goose"),
  extensions: (draft, value) => {
    for (const one of Array.isArray(value) ? value : []) readExtension(draft, one);
  },
  settings: (draft, value, key) => {
    if (!isJsonObject(value)) return lost("it is no map")(draft, value, key);
    const { goose_provider: provider, goose_model: model } = value;
    if (typeof model === "string") {
      draft.wants.models.push(typeof provider === "string" ? `${provider}/${model}` : model);
    }
    applyRules(draft, value, GOOSE_SETTINGS);
  },
  response: (draft, value, key) => {
    const schema = isJsonObject(value) ? value["json_schema"] : undefined;
    if (isJsonObject(schema)) draft.set("output", { schema }, "response: json_schema");
    else lost("it has no json_schema")(draft, value, key);
  },
  sub_recipes: (draft, value) => {
    for (const one of Array.isArray(value) ? value.filter(isJsonObject) : []) {
      const { path, name } = one;
      const target = typeof path === "string" ? path : name;
      if (typeof target === "string") draft.wants.agents.push(target);
    }
  },
  retry: lost("it runs commands to check the result: an agent checks its own result"),
};

const SANDBOX_MODES: Readonly<Record<string, (draft: Draft, what: string) => void>> = {
  "read-only": (draft) => draft.withhold(WRITERS),
  "workspace-write": needless,
  "danger-full-access": (draft, what) => {
    draft.allowCommand("*", what);
    draft.autoApprove(["*"], what);
  },
};

const CODEX: FieldRules = {
  name: text((draft, value) => draft.setName(value)),
  description: text((draft, value) => draft.setDescription(value)),
  developer_instructions: needless,
  model: text((draft, value) => void draft.wants.models.push(value)),
  model_reasoning_effort: lost("the effort of a model is not a setting of an agent"),
  nickname_candidates: needless,
  sandbox_mode: text((draft, value, key) => {
    const what = showField(key, value);
    const rule = Object.hasOwn(SANDBOX_MODES, value) ? SANDBOX_MODES[value] : undefined;
    if (rule === undefined) draft.lose(what, "no mode of this name is known here");
    else rule(draft, what);
  }),
  mcp_servers: (draft, value) => {
    if (isJsonObject(value)) {
      for (const [name, one] of Object.entries(value)) draft.addServer(name, one);
    }
  },
  web_search: (draft, value) => {
    draft.wants.search = value !== false && value !== "disabled";
  },
  skills: (draft, value) => void draft.wants.skills.push(...toList(value)),
};

/** The formats in YAML, JSON and TOML. */
export const DATA_SHAPES: readonly Shape[] = [
  {
    name: "a recipe of goose",
    context: [".goosehints", "AGENTS.md"],
    fits: (path, content) => /\.(?:ya?ml|json)$/.test(path) && readRecipe(content) !== undefined,
    read({ path, text: content }) {
      const recipe = readRecipe(content) ?? {};
      const { instructions, prompt, parameters } = recipe;
      const draft = new Draft(/(?:^|\/)recipe\.\w+$/.test(path) ? String(recipe["title"]) : path);
      applyRules(draft, recipe, GOOSE);
      const defaults = (Array.isArray(parameters) ? parameters.filter(isJsonObject) : [])
        .flatMap(({ key, default: value }): [string, string][] =>
          typeof key === "string" && value !== undefined && value !== null
            ? [[key, String(value)]]
            : []
        );
      const body = [instructions, prompt].filter((one) => typeof one === "string").join("\n\n");
      const placeholders = named(/\{\{\s*[\w-]+\s*\}\}/, new Map(defaults));
      return { agents: [draft.finish(convertText(draft, body, placeholders))] };
    },
  },
  {
    name: "an agent of Codex",
    context: ["AGENTS.md"],
    fits: (path, content) =>
      path.endsWith(".toml") && typeof readToml(content)?.["developer_instructions"] === "string",
    read({ path, text: content }) {
      const fields = readToml(content) ?? {};
      const draft = new Draft(path);
      applyRules(draft, fields, CODEX);
      if (fields["sandbox_mode"] === undefined) {
        draft.allowCommand("*", "an agent of Codex works with commands");
      }
      return {
        agents: [draft.finish(convertText(draft, String(fields["developer_instructions"])))],
      };
    },
  },
  {
    name: "a command of Gemini",
    context: ["GEMINI.md", "AGENTS.md"],
    fits: (path, content) =>
      path.endsWith(".toml") && typeof readToml(content)?.["prompt"] === "string",
    read({ path, text: content }) {
      const { prompt, ...fields } = readToml(content) ?? {};
      const draft = new Draft(path.replace(/^.*?commands\//, "").replaceAll("/", "-"));
      draft.isCommand = true;
      applyRules(draft, fields, { description: text((one, value) => one.setDescription(value)) });
      return { agents: [draft.finish(convertText(draft, String(prompt), ALL_ARGUMENTS))] };
    },
  },
];
