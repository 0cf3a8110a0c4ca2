/** Questions for who has the screen read out: lines that stay, numbered choices, answers ended by Enter. */
import { createInterface } from 'node:readline';
import type { Asker, Check, Item, Picking, Scene } from '../prompts/types.ts';

type Read<A> = { readonly answer: A } | { readonly wrong: string };
type Reader<A> = (line: string) => Read<A> | Promise<Read<A>>;

/** Asks line by line; nothing is drawn again. */
export function openPlainAsker(scene: Scene): Asker {
  const say = (text: string) => scene.output.write(`${text}\n`);
  /** Asks until the answer is right. */
  const until = async <A>(question: string, read: Reader<A>, check: Check<A>, hidden = false): Promise<A> => {
    for (;;) {
      const given = await read(await readAnswer(scene, `${question} `, hidden));
      const wrong = 'wrong' in given ? given.wrong : await check(given.answer);
      if ('answer' in given && wrong === undefined) return given.answer;
      say(`Invalid: ${wrong}.`);
    }
  };
  return {
    confirm: ({ message, standard }) =>
      until(
        `${message} (yes or no; Enter for ${standard ? 'yes' : 'no'})`,
        (line) => {
          const word = line.trim().toLowerCase();
          if (word === '') return { answer: standard };
          if ('yes'.startsWith(word)) return { answer: true };
          return 'no'.startsWith(word) ? { answer: false } : { wrong: 'answer yes or no' };
        },
        () => undefined,
      ),
    text: ({ message, standard, check }) =>
      until(
        standard === undefined || standard === '' ? message : `${message} (Enter for ${standard})`,
        (line) => ({ answer: line || (standard ?? '') }),
        check,
      ),
    secret: ({ message, check }) =>
      until(`${message} (input is hidden)`, (line) => ({ answer: line }), check, true),
    pick(picking) {
      const { items, more, many, message, marked, check } = picking;
      say(message);
      let heading = '';
      for (const [index, { name, description, group }] of items.entries()) {
        if (group !== heading && group !== '') say(`${group}:`);
        heading = group;
        say(`  ${index + 1}. ${name}${description === '' ? '' : `, ${description}`}`);
      }
      const standard = marked.map((index) => items[index]?.name).join(', ') || (many ? 'none' : undefined);
      const asked = many ? 'Numbers or names, separated by commas' : 'Number or name';
      const question = `${asked}${standard === undefined ? '' : ` (Enter for ${standard})`}:`;
      if (!more) return until(question, (line) => chosen(line, picking), check);
      say('  There are more choices; enter a name.');
      // Read out they would be too many; they are read once a word was typed, which may mean one of them.
      let all: Promise<readonly Item[]> | undefined;
      return until(
        question,
        async (line) => {
          all ??= gather(items, more);
          return chosen(line, { ...picking, items: await all });
        },
        check,
      );
    },
  };
}

async function gather(
  items: readonly Item[],
  more: AsyncIterable<readonly Item[]>,
): Promise<readonly Item[]> {
  const all = [...items];
  for await (const some of more) all.push(...some);
  return all;
}

/** In place of an index: the name is no single choice's. */
const SEVERAL = -2;

function chosen(line: string, { items, many, marked }: Picking): Read<readonly number[]> {
  const words = (many ? line.split(',') : [line]).map((word) => word.trim()).filter((word) => word !== '');
  if (words.length === 0) {
    return many || marked.length > 0 ? { answer: marked } : { wrong: 'select one' };
  }
  const indexes = words.map((word) => {
    const meant = word.toLowerCase();
    const named = items.flatMap(({ name }, index) => (name.toLowerCase() === meant ? [index] : []));
    if (named.length > 0) return named.length === 1 ? (named[0] ?? -1) : SEVERAL;
    if (/^\d+$/.test(word)) return Number(word) <= items.length ? Number(word) - 1 : -1;
    // A part of what was read out will do, where it is part of one alone.
    const alike = items.flatMap(({ name, description, search = '' }, index) =>
      `${name} ${description} ${search}`.toLowerCase().includes(meant) ? [index] : [],
    );
    return alike.length === 1 ? (alike[0] ?? -1) : -1;
  });
  const shared = words.find((_, position) => indexes[position] === SEVERAL);
  if (shared !== undefined) return { wrong: `"${shared}" is ambiguous: enter the number` };
  const unknown = words.find((_, position) => (indexes[position] ?? -1) < 0);
  if (unknown !== undefined) return { wrong: `${unknown} is not one of the ${items.length} choices` };
  return { answer: [...new Set(indexes)].sort((a, b) => a - b) };
}

/** One line as it was typed. `hidden`: it is not shown while it is. */
function readAnswer({ input, output, signal }: Scene, question: string, hidden: boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    output.write(question);
    // The terminal itself shows and mends what is typed; of what is hidden readline takes the keys, and shows none.
    const lines = createInterface({ input, terminal: hidden, escapeCodeTimeout: 50 });
    const stop = (): void => {
      output.write('\n');
      settle(() => reject(signal.reason));
    };
    const leave = (): void => {
      output.write('\n');
      settle(() => reject(Object.assign(new Error('end of input'), { name: 'ExitPromptError' })));
    };
    const settle = (end: () => void): void => {
      signal.removeEventListener('abort', stop);
      lines.off('close', leave);
      lines.close();
      end();
    };
    signal.addEventListener('abort', stop, { once: true });
    lines.once('line', (line) => {
      if (hidden) output.write('\n');
      settle(() => resolve(line));
    });
    lines.once('SIGINT', leave);
    lines.once('close', leave);
  });
}
