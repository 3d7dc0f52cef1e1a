// `deno task crash:chat`: kills a service at ten points of a chat, and checks that each message had one run and each question
// one answer. Arguments: the number of deaths at each point (5), and the app (all).
import { CRASH_APPS } from "./chat_apps.ts";
import { ChatCrashWorld } from "./chat_world.ts";

const each = Number(Deno.args[0] ?? 5);
const names = Deno.args[1] === undefined ? Object.keys(CRASH_APPS) : [Deno.args[1]];
for (const name of names) {
  const chat = CRASH_APPS[name]!();
  await using world = await ChatCrashWorld.open(chat);
  for (const death of chat.deaths) {
    const twice = { questions: 0, results: 0 };
    for (let n = 0; n < each; n++) {
      const { questions, results } = await world.round(death);
      twice.questions += questions - 1;
      twice.results += results - 1;
    }
    const { questions, results } = twice;
    console.log(
      `${name}: ${death.name.padEnd(25)}  shown twice: ${questions} questions, ${results} results`,
    );
  }
  console.log(
    `held: ${each} deaths at each of ${chat.deaths.length} points of ${name}; one run a message, one answer a question`,
  );
}
