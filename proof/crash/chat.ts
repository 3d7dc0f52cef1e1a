// `deno task crash:chat`: kills a service at ten points of a chat, and checks that each message had one run and each question
// one answer. Argument: the number of deaths at each point (5).
import { CHAT_DEATHS, ChatCrashWorld } from "./chat_world.ts";

const each = Number(Deno.args[0] ?? 5);
await using world = await ChatCrashWorld.open();
const width = Math.max(...CHAT_DEATHS.map(({ name }) => name.length));
for (const death of CHAT_DEATHS) {
  const twice = { questions: 0, results: 0 };
  for (let n = 0; n < each; n++) {
    const { questions, results } = await world.round(death);
    twice.questions += questions - 1;
    twice.results += results - 1;
  }
  const { questions, results } = twice;
  console.log(
    `${death.name.padEnd(width)}  shown twice: ${questions} questions, ${results} results`,
  );
}
console.log(
  `held: ${each} deaths at each of ${CHAT_DEATHS.length} points; one run a message, one answer a question`,
);
