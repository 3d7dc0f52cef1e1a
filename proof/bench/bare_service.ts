// The program of the smallest possible service of runs: it accepts a run, calls the model as often as needed, and streams
// the result. It stores and checks nothing. Argument: the address of the model.
const [model = ""] = Deno.args;
const runs = new Map<string, Promise<string[]>>();
let next = 1;

async function ask(task: string, result?: string): Promise<string> {
  const messages = [{ role: "system", content: `You are an agent. ${task}` }, {
    role: "user",
    content: "Execute your task",
  }, ...(result === undefined ? [] : [{ role: "tool", content: result }])];
  const response = await fetch(`${model}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "test", messages, stream: true }),
  });
  return await response.text();
}

async function run(agent: string): Promise<string[]> {
  if (agent === "asker") return [await ask("Say: DONE.")];
  const call = await ask("Read note.txt.");
  return [call, await ask("Read note.txt.", "A note.")];
}

Deno.serve({
  port: 0,
  hostname: "127.0.0.1",
  onListen: ({ port }) => console.log(`http://127.0.0.1:${port}`),
}, async (request) => {
  const [, , name = "", what] = new URL(request.url).pathname.split("/");
  if (what === "run") {
    const id = String(next++);
    runs.set(id, run(name));
    return Response.json({ execution_id: id });
  }
  const replies = await runs.get(name) ?? [];
  runs.delete(name);
  const events = replies.map((reply) => `event: ai\ndata: ${JSON.stringify({ reply })}\n\n`);
  const end = 'event: complete\ndata: {"status":"success"}\n\n';
  return new Response(events.join("") + end, { headers: { "content-type": "text/event-stream" } });
});
