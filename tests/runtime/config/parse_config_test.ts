import assert from "node:assert/strict";
import { ConfigError, loadConfig } from "../../../runtime/config/parse_config.ts";
import { formatDiagnostic } from "../../../base/diagnostics.ts";
import { withTempDir } from "../../support/temp_dir.ts";
import { problems, read } from "./parsed_config.ts";

Deno.test("parseConfig() gives an empty file every default", () => {
  const { path, workspace, agentsDir, defaults, notify, warnings } = read("");
  assert.deepEqual([path, workspace, agentsDir], ["config.yaml", "/home/me/inkling", "agents"]);
  assert.deepEqual([defaults.timeout, defaults.maxCostUsd, defaults.history], [300, null, "low"]);
  assert.deepEqual([notify.channels, notify.quiet, warnings], [{}, { pass: [] }, []]);
  const texts = ["# nothing\n", "defaults:\nhttp:\nworkspace:\nagents_dir:\n", "---\n"];
  for (const text of texts) assert.deepEqual(read(text), read(""), text);
});

Deno.test("parseConfig() reads every key", () => {
  assert.deepEqual(
    read(`workspace: ~/work
agents_dir: team/agents/
sandbox: required
database: postgres://inkling@db.example:6432/team
database_connections: 200
node: {name: left, labels: [gpu, m-2], runs: 1}
budget: {per_day: 7, per_month: 8, timezone: Europe/Paris, tokens: {per_day: 9, per_month: 10}}
http: {allow: [intern], deny: [private], hosts: [proxy], origins: ["https://proxy"]}
defaults:
  provider: elsewhere
  model: m
  base_url: https://models.example/v1
  confirm_tools: [http_request]
  on_pending: parallel
  confirm_timeout: 1d
  max_wait: 2d
  on_restart: resume
  budget: {per_day: 1, per_month: 2, tree: 3, timezone: UTC, tokens: {per_day: 4, per_month: 5, tree: 6}}
  on_budget: abort
  unpriced: allow
  temperature: 1
  max_tokens: 128000
  timeout: 1
  max_tool_calls: 1
  max_execution_tokens: 2
  max_cost_usd: 0.01
  max_duration: 2h
  loop_detection: false
  history: off
  checkpoint_retention_days: 7
  log_retention_days: 90
  max_agent_depth: 0
  max_concurrent_runs: 1
  pin_keys: true
service: {port: 0, host: "::1", keep_alive: true, owner: sam}
public_url: https://inkling.example/team/
expose: { respond: true }
search: { provider: searxng, base_url: "https://search.example/", key_env: MY_KEY }
notify:
  on: [waiting]
  to: [phone]
  channels:
    phone: { type: ntfy, topic: team-1, url: "https://ntfy.example/", token: NTFY_TOKEN }
    public: { type: ntfy, topic: t }
    team: { type: slack, url: SLACK_URL }
    hook: { type: webhook, url: "https://hooks.example/in", secret: HOOK_SECRET }
    tell: { type: command, run: [tell, --loud], allow: true }
    screen: { type: desktop }
  quiet: { from: "22:00", to: "07:00", timezone: Europe/Paris, pass: [waiting] }
`),
    {
      path: "config.yaml",
      workspace: "/home/me/work",
      agentsDir: "team/agents",
      defaults: {
        provider: "elsewhere",
        model: "m",
        baseUrl: "https://models.example/v1",
        confirmTools: ["http_request"],
        onPending: "parallel",
        confirmTimeout: 86_400_000,
        maxWait: 172_800_000,
        onRestart: "resume",
        onBudget: "abort",
        unpriced: "allow",
        budget: {
          perDay: 1,
          perMonth: 2,
          tree: 3,
          timezone: "UTC",
          tokens: { perDay: 4, perMonth: 5, tree: 6 },
        },
        temperature: 1,
        maxTokens: 128_000,
        timeout: 1,
        maxToolCalls: 1,
        maxExecutionTokens: 2,
        maxCostUsd: 0.01,
        maxDuration: 7_200,
        loopDetection: false,
        history: "off",
      },
      budget: {
        perDay: 7,
        perMonth: 8,
        timezone: "Europe/Paris",
        tokens: { perDay: 9, perMonth: 10 },
      },
      chats: [],
      checkpointRetentionDays: 7,
      logRetentionDays: 90,
      mail: [],
      auditRetentionDays: 365,
      maxAgentDepth: 0,
      maxConcurrentRuns: 1,
      database: "postgres://inkling@db.example:6432/team",
      databaseConnections: 200,
      node: { name: "left", labels: ["gpu", "m-2"], runs: 1 },
      pinKeys: true,
      service: { port: 0, host: "::1", keepAlive: true, edit: false, owner: "sam" },
      sandbox: "required",
      http: { allow: ["intern"], deny: ["private"], hosts: ["proxy"], origins: ["https://proxy"] },
      publicUrl: "https://inkling.example/team",
      expose: { respond: true },
      search: { provider: "searxng", baseUrl: "https://search.example", keyEnv: "MY_KEY" },
      notify: {
        on: ["waiting"],
        to: ["phone"],
        channels: {
          phone: {
            type: "ntfy",
            topic: "team-1",
            url: "https://ntfy.example",
            token: "NTFY_TOKEN",
          },
          public: { type: "ntfy", topic: "t", url: "https://ntfy.sh" },
          team: { type: "slack", url: "SLACK_URL" },
          hook: { type: "webhook", url: "https://hooks.example/in", secret: "HOOK_SECRET" },
          tell: { type: "command", run: ["tell", "--loud"], allow: true },
          screen: { type: "desktop" },
        },
        quiet: { from: "22:00", to: "07:00", timezone: "Europe/Paris", pass: ["waiting"] },
      },
      signIn: null,
      people: [],
      warnings: [],
    },
  );
});

Deno.test("parseConfig() distinguishes absent keys from empty and null values", () => {
  assert.deepEqual(read("defaults: {confirm_tools: []}").defaults.confirmTools, []);
  for (const off of ["null", "none"]) {
    const limits = ["max_tool_calls", "max_execution_tokens", "max_cost_usd", "confirm_timeout"];
    const { defaults } = read(`defaults: {${limits.map((key) => `${key}: ${off}`).join(", ")}}`);
    const { maxToolCalls, maxExecutionTokens, maxCostUsd, confirmTimeout } = defaults;
    assert.ok(
      [maxToolCalls, maxExecutionTokens, maxCostUsd, confirmTimeout].every((x) => x === null),
    );
  }
  for (const off of ["0", "none", "null"]) {
    const days = read(`defaults: {checkpoint_retention_days: ${off}, log_retention_days: ${off}}`);
    assert.deepEqual([days.checkpointRetentionDays, days.logRetentionDays], [null, null]);
  }
});

Deno.test("parseConfig() resolves a relative workspace from the home directory", () => {
  assert.equal(read("workspace: notes").workspace, "/home/me/notes");
  assert.equal(read("workspace: /srv/notes/../w").workspace, "/srv/w");
});

Deno.test("parseConfig() warns of unknown keys with a suggestion, and returns the configuration", () => {
  const { warnings, defaults } = read("defaults:\n  temprature: 1\n  history: high\nhtpp: {}\n");
  assert.equal(defaults.history, "high");
  assert.deepEqual(
    warnings.map((one) => [one.severity, formatDiagnostic(one)]),
    [
      [
        "warning",
        'config.yaml:2:3: Unknown key defaults.temprature: it is ignored (did you mean "temperature"?)',
      ],
      ["warning", 'config.yaml:4:1: Unknown key htpp: it is ignored (did you mean "http"?)'],
    ],
  );
});

Deno.test("parseConfig() reports every problem with line and column", () => {
  assert.deepEqual(
    problems(`workspace: 7
agents_dir: ../agents
defaults:
  provider: opanai
  temperature: 2
  max_tool_calls: many
  confirm_timeout: 5
  checkpoint_retention_days: -1
  confirm_tools: file_write
http:
  allow: [3]
`),
    [
      'config.yaml:1:12: workspace must be text, got 7 (put it in quotes: "7")',
      'config.yaml:2:13: agents_dir must be a folder inside the workspace, got "../agents"',
      'config.yaml:4:13: defaults.provider must be openai, anthropic, google, ollama, local or demo, or any other name together with defaults.base_url, got "opanai"',
      "config.yaml:5:16: defaults.temperature must be between 0 and 1, got 2",
      'config.yaml:6:19: defaults.max_tool_calls must be a whole number, got "many"',
      "config.yaml:7:20: defaults.confirm_timeout must be a duration such as 30s, 5m, 2h or 1d, or none, got 5 (add a unit: 5s or 5m)",
      "config.yaml:8:30: defaults.checkpoint_retention_days must be between 0 and 36500, got -1",
      'config.yaml:9:18: defaults.confirm_tools must be a list, got "file_write"',
      'config.yaml:11:11: http.allow[0] must be text, got 3 (put it in quotes: "3")',
    ],
  );
});

Deno.test("parseConfig() warns of guards without effect, but not of names that may be tools", () => {
  const { warnings, defaults } = read(
    'defaults:\n  confirm_tools: [file_delete, file_wirte, run_agent, "*", all, search, "file write", "a/b"]\n',
  );
  assert.equal(defaults.confirmTools.length, 8);
  assert.deepEqual(warnings.map((one) => `${one.severity} ${formatDiagnostic(one)}`), [
    "warning config.yaml:2:32: defaults.confirm_tools names file_wirte, which is not a built-in tool: it matches only a " +
    'custom tool or a server\'s tool (did you mean "file_write"?)',
    "warning config.yaml:2:73: defaults.confirm_tools names file write, which is not a built-in tool: it matches only a " +
    'server\'s tool of this name (did you mean "file_write"?)',
  ]);
});

Deno.test("parseConfig() refuses an agents directory outside the workspace", () => {
  for (const folder of ["/agents", ".", "..", "a/../..", "./"]) {
    assert.match(problems(`agents_dir: ${folder}`).join(), /must be a folder inside the workspace/);
  }
  for (const folder of ["~/team", "~", "~me/agents"]) {
    assert.deepEqual(problems(`workspace: ~/w\nagents_dir: "${folder}"`), [
      `config.yaml:2:13: agents_dir must be a folder inside the workspace, got "${folder}" ` +
      "(it is relative to the workspace; ~ is not expanded)",
    ]);
  }
  assert.equal(read("agents_dir: a~b/~c").agentsDir, "a~b/~c");
});

Deno.test("parseConfig() refuses NUL in a path, and null for a required limit", () => {
  const rows = [
    ['workspace: "a\\0b"', "1:12: workspace must not hold a NUL character"],
    ['agents_dir: "a\\0b"', "1:13: agents_dir must not hold a NUL character"],
    ["defaults: {timeout: null}", "1:21: defaults.timeout must be a whole number, got null"],
    ["defaults: {confirm_timeout: 5w}", "1:29: defaults.confirm_timeout must be a duration"],
  ];
  for (const [text = "", problem = ""] of rows) {
    assert.ok(problems(text).join().startsWith(`config.yaml:${problem}`), problems(text).join());
  }
});

Deno.test("parseConfig() reports broken YAML", () => {
  const rows: [text: string, problem: RegExp][] = [
    ["a: 1\na: 2\n", /^config\.yaml:2:1: The key a stands twice in the same map$/],
    ["defaults: [", /^config\.yaml:1:12: Broken YAML/],
    ["- a", /1:1: The YAML must be a map/],
    ["a: 1\n---\nb: 2\n", /2:1: Only one YAML document/],
  ];
  for (const [text, problem] of rows) assert.match(problems(text).join(), problem);
});

Deno.test("loadConfig() treats an absent file as empty, and refuses an unusable file", () =>
  withTempDir(async (dir) => {
    const path = `${dir}/config.yaml`;
    const { workspace, path: own } = await loadConfig(path, { home: "/home/me" });
    assert.deepEqual([workspace, own], ["/home/me/inkling", path]);
    await Deno.writeTextFile(path, "defaults:\n  temperature: 7\n  timeout: 0\n");
    await assert.rejects(loadConfig(path, { home: "/" }), (error) => {
      assert.ok(error instanceof ConfigError);
      assert.deepEqual([error.code, error.diagnostics.length], ["invalid", 2]);
      const expected =
        `Cannot use the configuration: ${path}:2:16: defaults.temperature must be between 0 and 1, got 7 (and 1 more)`;
      assert.equal(error.message, expected);
      return true;
    });
    const { success } = await new Deno.Command("mkfifo", { args: [`${dir}/pipe`] }).output();
    assert.ok(success);
    await Deno.symlink(`${dir}/pipe`, `${dir}/link`);
    await Deno.writeFile(`${dir}/latin`, Uint8Array.of(0x61, 0x0a, 0xe9));
    await Deno.writeTextFile(`${dir}/long`, "#".repeat(300_000));
    const rows: [path: string, problem: RegExp][] = [
      ...[`${dir}/pipe`, `${dir}/link`, "/dev/zero"].map((
        special,
      ): [string, RegExp] => [special, /it is not a file but a pipe/]),
      [`${dir}/latin`, /latin:2:1: The file is not UTF-8/],
      [dir, /The file cannot be read/],
      [`${dir}/long`, /over 256 KB/],
    ];
    for (const [file, problem] of rows) {
      await assert.rejects(loadConfig(file, { home: "/" }), problem);
    }
  }));

Deno.test("parseConfig() reports the problems of notify without secret addresses", () => {
  const text = `public_url: ftp://x
notify:
  on: [waitin]
  to: [phon]
  channels:
    phone: { type: ntfy, topic: "a b", secret: X }
    bare: { type: webhook }
    team: { type: slack, url: "https://hooks.example/s3cr3t" }
    hook: { type: webhook, url: "https://u:s3cr3t@x/", secret: whsec_s3cr3t }
    "a b": { type: desktop }
    run: { type: command, run: [] }
    off: { type: command, run: [x] }
  quiet: { from: "7:00" }
`;
  const told = problems(text).map((one) => one.replace(/^config\.yaml:(\d+):\d+:/, "$1"));
  assert.deepEqual(told, [
    '1 public_url must be an http or https address, got "ftp://x"',
    '3 notify.on[0] must be waiting, error, success, budget, missed or loop, got "waitin" (did you mean "waiting"?)',
    '4 notify.to names "phon", which is none of notify.channels (did you mean "phone"?)',
    '6 notify.channels.phone.topic must be 1 to 64 letters, digits, - and _, got "a b"',
    "7 notify.channels.bare.url is missing",
    "7 notify.channels.bare.secret is missing",
    "8 notify.channels.team.url must be the name of the environment variable that holds the address, which is a secret",
    "9 notify.channels.hook.secret must be the name of an environment variable, not a key",
    '10 notify.channels."a b" has a name that must be 1 to 40 letters, digits, - and _, got {"type":"desktop"}',
    "11 notify.channels.run is off: a command is started only with allow: true",
    "11 notify.channels.run.run must name a program, got []",
    "12 notify.channels.off is off: a command is started only with allow: true",
    '13 notify.quiet.from must be a time such as "22:00", got "7:00"',
    "13 notify.quiet needs both from and to",
  ]);
  const mended = text.replace("a b", "ab").replace("whsec_s3cr3t", "HOOK");
  const again = problems(mended).join("\n");
  const expected = /:6:\d+: notify\.channels\.phone\.secret has no meaning for a channel of type/;
  assert.match(again, expected);
  assert.match(again, /:9:\d+: notify\.channels\.hook\.url must not hold a user name or password/);
});

Deno.test("parseConfig() accepts only origins of proxies and apps, and names of hosts", () => {
  const { warnings } = read(`http:
  hosts: [inkling.example, "BÜCHER.example:8443", "[::1]"]
  origins: ["https://inkling.example/", "app://obsidian.md"]
`);
  assert.deepEqual(warnings, []);
  const host = "http.hosts[0] must be the name of a host such as inkling.example";
  for (const text of ["https://inkling.example", "*.example", "a b", ""]) {
    assert.deepEqual(problems(`http: { hosts: ["${text}"] }`), [
      `config.yaml:1:17: ${host}, got "${text}"`,
    ]);
  }
  const origin =
    "http.origins[0] must be an origin, without a path: https://inkling.example, say, " +
    "or app://obsidian.md";
  const noOrigins = ["inkling.example", "inkling.example:8443", "null", "https://a.example/ui", ""];
  for (const text of noOrigins) {
    assert.deepEqual(problems(`http: { origins: ["${text}"] }`), [
      `config.yaml:1:19: ${origin}, got "${text}"`,
    ]);
  }
});

Deno.test("parseConfig() reads the service of searches, and reports what it lacks", () => {
  assert.equal(read("search:\n").search, null);
  assert.deepEqual(read("search: { provider: brave }").search, {
    provider: "brave",
    baseUrl: "https://api.search.brave.com",
    keyEnv: "BRAVE_API_KEY",
  });
  assert.deepEqual(
    read('search: { provider: searxng, base_url: "http://127.0.0.1:8080/", key_env: MY }').search,
    { provider: "searxng", baseUrl: "http://127.0.0.1:8080", keyEnv: "MY" },
  );
  assert.deepEqual(problems("search: { provider: searxng }"), [
    'config.yaml:1:9: search must have base_url: the address of your SearXNG, got {"provider":"searxng"}',
  ]);
  assert.deepEqual(problems("search: { key_env: MY }"), [
    'config.yaml:1:9: search must have provider: one of searxng, brave, tavily, got {"key_env":"MY"}',
  ]);
  assert.match(
    problems("search: { provider: altavista }").join(),
    /^config\.yaml:1:21: search\.provider must be searxng, brave or tavily/,
  );
  assert.match(
    problems("search: { provider: brave, key_env: sk-123 }").join(),
    /environment variable, not a key/,
  );
});
