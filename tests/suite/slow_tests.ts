// Slow tests that are allowed, each with its reason.

/** A test that takes at least this many seconds is listed at the end of the suite, unless it has a reason below. */
export const SLOW_SECONDS = 3;

/** The reasons, by test name. */
export const REASONS_TO_BE_SLOW: Readonly<Record<string, string>> = {
  "a service killed around the acceptance of a run starts one run per trigger event":
    "It starts services to kill them, and waits for beats of a second.",
  "three kills: every run ends, and no unsafe call runs twice":
    "It starts a service four times to kill it.",
  "a write during a move waits for its end, is copied, or prevents the move":
    "A move waits for three seconds for a lock before it is refused.",
  "dashboard: chat, and running again: axe finds no fault in the chat, in both themes and widths":
    "axe checks three views in two looks each.",
  "doctor finds no problems in a healthy installation and changes nothing":
    "It starts an MCP server and the process of a custom tool for each of its two checks.",
  "generated runs on a killed service replay without a difference":
    "It starts a service twice, and each fork starts the custom tools and the MCP server again.",
  "PostgresDatabase survives restarts of its server":
    "It stops and starts a PostgreSQL server of its own four times.",
  "the example of a custom tool in docs/tools.md has the type CustomTool":
    "It runs Deno's type check on a folder that no cache knows.",
  "PostgresDatabase does not wait for a dead connection":
    "It waits until connections count as dead: a shorter limit would break off slow ones.",
  "a frozen or vanished process does not keep an execution's row locked":
    "It waits three times for the time limits of the server, which are whole seconds.",
  "cluster: the third node continues the runs of a frozen and a killed node":
    "A lease lasts for ten seconds, and a node has to be frozen for longer than that.",
  "soak: after mixed load and a kill -9 no rule is broken":
    "It starts a service twice under load, and waits until every started run has ended.",
  "night: every irregular event of fifteen agents in nine hours is reported, and nothing else":
    "It simulates nine hours in steps of five minutes, and reads the page in a browser.",
  "docs/guides: the commands of each guide run in a new home":
    "It starts a service for each of thirteen guides.",
  "README and overview: every command that needs no download succeeds":
    "Each command of the README is a process of its own.",
  "a named pipe in the agents folder blocks neither edited agents nor the stop":
    "It starts a service, waits until it has read each of three edits, and stops it with a command.",
  "a run's live and replayed streams are equal, beside another workspace, and kill -9 loses no logged frame":
    "It starts three services, and kills two of them.",
  "dashboard: from nothing to an agent that a second person approves":
    "It is the whole way of two people through the page, by keyboard and by mouse.",
  "a token is in no process list, during the sign-in, the start of a server and a renewal":
    "It looks through all processes at each request of a sign-in, a run and a renewal.",
  "tools, MCP servers and providers work under scoped flags":
    "It starts a service with an MCP server, a custom tool and a script under its flags.",
  "JobQueue shares runs among nodes":
    "Three of its steps wait for a look at the queue, which happens once a second.",
  "during work: changes are refused, then work continues":
    "It waits until connections count as dead: a shorter limit would break off slow ones.",
  "a process vanishes from the network":
    "It waits for the time limits of the server, which are whole seconds.",
  "nodes: one node reads a mail account, and another one after it":
    "A node asks for the lease of the account with its heartbeat, every three seconds.",
  "mail: each mail of a storm has one run on one of two nodes":
    "It starts a PostgreSQL server and two nodes as processes.",
  "SystemWatches: a new pipe ends only the watch of its folder":
    "The product waits three seconds for an event before it frees a blocked watch.",
  "run at a terminal shows a progress line and removes it, also after Ctrl+C and SIGTERM":
    "It runs the program at four real terminals.",
  "chat: Ctrl+C cancels the turn during an answer, and keys typed during one appear at the next prompt":
    "It has two chats at a real terminal, and waits twice until the time on the screen changes.",
};
