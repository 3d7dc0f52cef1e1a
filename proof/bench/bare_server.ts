// The program of the smallest possible server: it answers each request with the same body, which PUT replaces.
let answer: unknown = { status: "ok" };
Deno.serve({
  port: 0,
  hostname: "127.0.0.1",
  onListen: ({ port }) => console.log(`http://127.0.0.1:${port}`),
}, async (request) => {
  if (request.method === "PUT") answer = await request.json();
  return Response.json(answer);
});
