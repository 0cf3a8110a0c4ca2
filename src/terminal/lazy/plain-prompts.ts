/** Prompts for screen readers: permanent lines, numbered choices, answers ended by Enter. */
import { createInterface } from 'node:readline';
import type { PromptContext, Prompter, SelectItem, SelectQuestion, Validator } from '../prompts/types.ts';

type ParsedAnswer<A> = { readonly answer: A } | { readonly problem: string };
type AnswerParser<A> = (line: string) => ParsedAnswer<A> | Promise<ParsedAnswer<A>>;

/** Creates a prompter that asks line by line and never redraws. */
export function createPlainPrompter(scene: PromptContext): Prompter {
  const print = (text: string) => scene.output.write(`${text}\n`);
  /** Asks until the answer is valid. */
  const askUntilValid = async <A>(
    question: string,
    read: AnswerParser<A>,
    validate: Validator<A>,
    hidden = false,
  ): Promise<A> => {
    for (;;) {
      const parsed = await read(await readAnswer(scene, `${question} `, hidden));
      const problem = 'problem' in parsed ? parsed.problem : await validate(parsed.answer);
      if ('answer' in parsed && problem === undefined) return parsed.answer;
      print(`Invalid: ${problem}.`);
    }
  };
  return {
    confirm: ({ message, defaultValue }) =>
      askUntilValid(
        `${message} (yes or no; Enter for ${defaultValue ? 'yes' : 'no'})`,
        (line) => {
          const word = line.trim().toLowerCase();
          if (word === '') return { answer: defaultValue };
          if ('yes'.startsWith(word)) return { answer: true };
          return 'no'.startsWith(word) ? { answer: false } : { problem: 'answer yes or no' };
        },
        () => undefined,
      ),
    text: ({ message, defaultValue, validate }) =>
      askUntilValid(
        defaultValue === undefined || defaultValue === ''
          ? message
          : `${message} (Enter for ${defaultValue})`,
        (line) => ({ answer: line || (defaultValue ?? '') }),
        validate,
      ),
    secret: ({ message, validate }) =>
      askUntilValid(`${message} (input is hidden)`, (line) => ({ answer: line }), validate, true),
    select(selectQuestion) {
      const { items, more, isMultiple, message, selected, validate } = selectQuestion;
      print(message);
      let heading = '';
      for (const [index, { name, description, group }] of items.entries()) {
        if (group !== heading && group !== '') print(`${group}:`);
        heading = group;
        print(`  ${index + 1}. ${name}${description === '' ? '' : `, ${description}`}`);
      }
      const defaultValue =
        selected.map((index) => items[index]?.name).join(', ') || (isMultiple ? 'none' : undefined);
      const instruction = isMultiple ? 'Numbers or names, separated by commas' : 'Number or name';
      const question = `${instruction}${defaultValue === undefined ? '' : ` (Enter for ${defaultValue})`}:`;
      if (!more) return askUntilValid(question, (line) => parseSelection(line, selectQuestion), validate);
      print('  There are more choices; enter a name.');
      // They are too many to read out, so they are loaded only after a first answer, which may name one.
      let all: Promise<readonly SelectItem[]> | undefined;
      return askUntilValid(
        question,
        async (line) => {
          all ??= toArray(items, more);
          return parseSelection(line, { ...selectQuestion, items: await all });
        },
        validate,
      );
    },
  };
}

async function toArray(
  items: readonly SelectItem[],
  more: AsyncIterable<readonly SelectItem[]>,
): Promise<readonly SelectItem[]> {
  const all = [...items];
  for await (const some of more) all.push(...some);
  return all;
}

/** Replaces the index of a name that several choices have. */
const AMBIGUOUS = -2;

function parseSelection(
  line: string,
  { items, isMultiple, selected }: SelectQuestion,
): ParsedAnswer<readonly number[]> {
  const words = (isMultiple ? line.split(',') : [line])
    .map((word) => word.trim())
    .filter((word) => word !== '');
  if (words.length === 0) {
    return isMultiple || selected.length > 0 ? { answer: selected } : { problem: 'select one' };
  }
  const indexes = words.map((word) => {
    const lowerCaseWord = word.toLowerCase();
    const named = items.flatMap(({ name }, index) => (name.toLowerCase() === lowerCaseWord ? [index] : []));
    if (named.length > 0) return named.length === 1 ? (named[0] ?? -1) : AMBIGUOUS;
    if (/^\d+$/.test(word)) return Number(word) <= items.length ? Number(word) - 1 : -1;
    // Part of the text of a choice is enough if no other choice contains it.
    const matches = items.flatMap(({ name, description, search = '' }, index) =>
      `${name} ${description} ${search}`.toLowerCase().includes(lowerCaseWord) ? [index] : [],
    );
    return matches.length === 1 ? (matches[0] ?? -1) : -1;
  });
  const shared = words.find((_, position) => indexes[position] === AMBIGUOUS);
  if (shared !== undefined) return { problem: `"${shared}" is ambiguous: enter the number` };
  const unknown = words.find((_, position) => (indexes[position] ?? -1) < 0);
  if (unknown !== undefined) return { problem: `${unknown} is not one of the ${items.length} choices` };
  return { answer: [...new Set(indexes)].sort((a, b) => a - b) };
}

/** Reads one line. With `hidden`, it is not shown. */
function readAnswer(
  { input, output, signal }: PromptContext,
  question: string,
  hidden: boolean,
): Promise<string> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    output.write(question);
    // The terminal itself echoes and edits the line; for hidden input readline reads the keys and shows none.
    const lines = createInterface({ input, terminal: hidden, escapeCodeTimeout: 50 });
    const abort = (): void => {
      output.write('\n');
      settle(() => reject(signal.reason));
    };
    const cancel = (): void => {
      output.write('\n');
      settle(() => reject(Object.assign(new Error('end of input'), { name: 'ExitPromptError' })));
    };
    const settle = (end: () => void): void => {
      signal.removeEventListener('abort', abort);
      lines.off('close', cancel);
      lines.close();
      end();
    };
    signal.addEventListener('abort', abort, { once: true });
    lines.once('line', (line) => {
      if (hidden) output.write('\n');
      settle(() => resolve(line));
    });
    lines.once('SIGINT', cancel);
    lines.once('close', cancel);
  });
}
