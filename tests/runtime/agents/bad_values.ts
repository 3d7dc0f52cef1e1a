// Agent files with fields of the wrong kind or out of range.
import { bad, type BadAgentFile, fields } from "./bad_agent_file.ts";

/** Wrong kinds and ranges of single fields. */
export const BAD_VALUES: readonly BadAgentFile[] = [
  bad("temperature above", fields("settings:", "  temperature: 7"), [
    "3:16",
    "settings.temperature must be between 0 and 1, got 7",
  ]),
  bad("temperature below", fields("settings:", "  temperature: -0.1"), [
    "3:16",
    "settings.temperature must be between 0 and 1, got -0.1",
  ]),
  bad("proto key", fields("__proto__: {enabled: false}"), [
    "2:1",
    "A key must not be called __proto__",
  ]),
  bad("proto alias", fields("paths: {__proto__: /etc}"), [
    "2:9",
    "A key must not be called __proto__",
  ]),
  bad("paths empty list", fields("paths: []"), ["2:8", "paths must not be empty"]),
  bad("paths empty map", fields("paths: {}"), ["2:8", "paths must not be empty"]),
  bad("temperature text", fields("settings: {temperature: hot}"), [
    "2:25",
    'settings.temperature must be a number, got "hot"',
  ]),
  bad("temperature not a number", fields("settings: {temperature: .nan}"), [
    "2:25",
    "settings.temperature must be a number, got NaN",
  ]),
  bad("max_tokens zero", fields("settings:", "  max_tokens: 0"), [
    "3:15",
    "settings.max_tokens must be between 1 and 128000, got 0",
  ]),
  bad("max_tokens huge", fields("settings:", "  max_tokens: 128001"), [
    "3:15",
    "settings.max_tokens must be between 1 and 128000",
  ]),
  bad("max_tokens fraction", fields("settings:", "  max_tokens: 1.5"), [
    "3:15",
    "settings.max_tokens must be a whole number, got 1.5",
  ]),
  bad("timeout zero", fields("settings:", "  timeout: 0"), [
    "3:12",
    "settings.timeout must be between 1 and 604800, got 0",
  ]),
  bad("timeout text", fields("settings:", "  timeout: 5m"), [
    "3:12",
    'settings.timeout must be a whole number, got "5m"',
  ]),
  bad("max_tool_calls zero", fields("settings:", "  max_tool_calls: 0"), [
    "3:19",
    "settings.max_tool_calls must be at least 1, got 0",
  ]),
  bad("max_cost_usd zero", fields("settings:", "  max_cost_usd: 0"), [
    "3:17",
    "settings.max_cost_usd must be more than 0, got 0",
  ]),
  bad("loop_detection text", fields("settings:", "  loop_detection: yes"), [
    "3:19",
    "settings.loop_detection must be true or false",
  ]),
  bad("settings list", fields("settings: [1]"), [
    "2:11",
    "settings must be a map of keys and values, got [1]",
  ]),
  bad("name number", fields("name: 7"), [
    "2:7",
    'name must be text, got 7 (put it in quotes: "7")',
  ]),
  bad("label characters", fields("name: Daily!"), ["2:7", 'underscores, not "!"']),
  bad("label empty", fields('name: ""'), ["2:7", "name must not be empty"]),
  bad("label spaces", fields('name: " x"'), [
    "2:7",
    "name must not begin or end with a space",
  ]),
  bad("label control character", fields('name: "a\\tb"'), [
    "2:7",
    "underscores, not U+0009",
  ]),
  bad("description list", fields("description: [a]"), [
    "2:14",
    'description must be text, got ["a"]',
  ]),
  bad("icon empty", fields('icon: ""'), ["2:7", "icon must not be empty"]),
  bad("history level", fields("history: lo"), [
    "2:10",
    'history must be low, medium, high or off, got "lo" (did you mean "low"?)',
  ]),
  bad("history false", fields("history: false"), [
    "2:10",
    "history must be low, medium, high or off, got false",
  ]),
  bad("enabled text", fields("enabled: no"), [
    "2:10",
    'enabled must be true or false, got "no"',
  ]),
  bad("on_pending", fields("on_pending: queue"), [
    "2:13",
    "on_pending must be skip or parallel",
  ]),
  bad("on_restart", fields("on_restart: retry"), [
    "2:13",
    "on_restart must be orphan or resume",
  ]),
  bad("confirm_timeout number", fields("confirm_timeout: 30"), [
    "2:18",
    "confirm_timeout must be a duration such as 30s",
  ]),
  bad("confirm_timeout text", fields("confirm_timeout: soon"), [
    "2:18",
    'or none, got "soon"',
  ]),
  bad("confirm text", fields("confirm: file_read"), [
    "2:10",
    'confirm must be a list, got "file_read"',
  ]),
  bad("confirm item", fields("confirm:", "  - file_read", "  - 3"), [
    "4:5",
    "confirm[1] must be text, got 3",
  ]),
  bad("auto_approve text", fields("auto_approve: file_read"), [
    "2:15",
    'auto_approve must be a list of tool names, or "*"',
  ]),
  bad("auto_approve item", fields("auto_approve: [1]"), [
    "2:16",
    "auto_approve[0] must be text, got 1",
  ]),
  bad("skills number", fields("skills: 3"), [
    "2:9",
    "skills must be a list, got 3",
  ]),
  bad("skill leaves its folder", fields("skills: ../secret"), [
    "2:9",
    "skills must be a plain name",
  ]),
  bad("nodes label", fields("nodes: [gpu, Big_Disk]"), [
    "2:14",
    'nodes[1] must be made of small letters, digits and -, got "Big_Disk"',
  ]),
  bad("nodes text", fields("nodes: a gpu"), [
    "2:8",
    'nodes must be made of small letters, digits and -, got "a gpu"',
  ]),
  bad("nodes too many", fields("nodes: [a, b, c, d, e, f, g, h, i]"), [
    "2:8",
    "nodes must name at most 8 labels",
  ]),
  bad("agents item", fields("agents: [{a: b}]"), [
    "2:10",
    "agents[0] must be text",
  ]),
  bad("custom_tools empty", fields("custom_tools: []"), [
    "2:15",
    "custom_tools must name at least one",
  ]),
  bad("tools text", fields("tools: search"), [
    "2:8",
    'tools must be a list, got "search"',
  ]),
  bad("mcp empty", fields("mcp: []"), ["2:6", "mcp must name at least one"]),
  bad("mcp blank item", fields('mcp: ["  "]'), [
    "2:7",
    "mcp[0] must not be empty",
  ]),
];
