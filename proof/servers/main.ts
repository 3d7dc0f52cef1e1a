// Starts well-known MCP servers from npm and PyPI in the sandbox, each with its usual command line. Prints for each the
// number of its tools, or the reason that it does not start. Needs npx, uvx and the network.
import { join } from "node:path";
import { PERMISSION_FLAGS } from "../../cli/self_command.ts";
import { findSnippet } from "../../ops/install/server_snippet.ts";

/** The command lines. `none` stands for a key, and `{folder}` for a folder that is a git repository. */
const LINES = `
npx -y @modelcontextprotocol/server-everything
npx -y @modelcontextprotocol/server-filesystem {folder}
npx -y @modelcontextprotocol/server-memory
npx -y @modelcontextprotocol/server-sequential-thinking
uvx mcp-server-fetch
uvx mcp-server-git --repository {folder}
uvx mcp-server-time
uvx mcp-server-sqlite --db-path test.db
uvx --with 'mcp<2' mcp-server-sqlite --db-path test.db
npx -y @playwright/mcp@latest
npx -y chrome-devtools-mcp@latest
npx -y @upstash/context7-mcp
npx -y mongodb-mcp-server --readOnly
npx -y @azure/mcp@latest server start
npx -y @modelcontextprotocol/server-postgres postgresql://localhost/test
NOTION_TOKEN=none npx -y @notionhq/notion-mcp-server
npx -y @sentry/mcp-server --access-token=none
npx -y @stripe/mcp --api-key=rk_none
npx -y @supabase/mcp-server-supabase --access-token=none
BRAVE_API_KEY=none npx -y @brave/brave-search-mcp-server
TAVILY_API_KEY=none npx -y tavily-mcp
EXA_API_KEY=none npx -y exa-mcp-server
FIRECRAWL_API_KEY=none npx -y firecrawl-mcp
FIGMA_API_KEY=none npx -y figma-developer-mcp --stdio
GITHUB_PERSONAL_ACCESS_TOKEN=none npx -y @modelcontextprotocol/server-github
SLACK_BOT_TOKEN=none SLACK_TEAM_ID=none npx -y @modelcontextprotocol/server-slack
`;
const root = await Deno.makeTempDir({ prefix: "inkling-servers-" });
const config = join(root, "workspace/agents/_config");
await Deno.mkdir(config, { recursive: true });
await Deno.writeTextFile(join(root, "config.yaml"), `workspace: ${root}/workspace\n`);
await new Deno.Command("git", { args: ["init", "-q", join(root, "repository")] }).output();
const env = { INKLING_CONFIG_DIR: root, INKLING_STATE_DIR: join(root, "state") };
const agent = "---\nmodel: { provider: demo, name: echo }\nmcp: [tried]\n---\nGo.\n";
await Deno.writeTextFile(join(config, "../tried.md"), agent);
const lines = LINES.trim().split("\n");
let started = 0;
for (const line of lines) {
  const [server] = findSnippet({ name: line.replace("{folder}", join(root, "repository")) }) ?? [];
  const servers = { tried: { ...server?.entry, timeout: "4m" } };
  await Deno.writeTextFile(join(config, "mcp-servers.json"), JSON.stringify(servers));
  const args = ["run", ...PERMISSION_FLAGS, "main.ts", "validate", "tried", "--connect", "--json"];
  const { stdout } = await new Deno.Command(Deno.execPath(), { args, env }).output();
  const report = new TextDecoder().decode(stdout);
  const tools = /"tools":(\d+)/.exec(report)?.[1];
  if (tools !== undefined) started++;
  const result = tools ?? /"message":("(?:[^"\\]|\\.)*")/.exec(report)?.[1];
  console.log(`${server?.name}\t${result}\t${line}`);
}
await Deno.remove(root, { recursive: true });
console.log(`${started} of ${lines.length} servers listed their tools`);
