/** A command line that grows answer by answer: what is answered stands in it as if it had been typed. */
import { UsageError } from '../../base/errors.ts';
import { camel } from '../framework/request-fields.ts';
import type { Shape } from '../framework/command-spec.ts';
import type { Examined } from '../framework/parse-command-line.ts';
import type { Collected } from '../framework/tokenize-argv.ts';

export type Examine = (line: Collected) => Promise<Examined>;

export interface Draft {
  /** The line so far. */
  line(): Collected;
  /** What a flag was given; undefined where it was not. */
  texts(flag: string): readonly string[] | undefined;
  give(flag: string, texts: readonly string[]): void;
  giveArgument(key: string, words: readonly string[]): void;
  /** What the line so far comes to. */
  examine(): Promise<Examined>;
  /** What the contract says against an answer, as a sentence; undefined where nothing. */
  objection(flag: string, texts: readonly string[]): Promise<string | undefined>;
  /** As `objection`, of what an argument is given. */
  objectionTo(key: string, words: readonly string[]): Promise<string | undefined>;
  /** The few values that the contract allows for a flag beside what was answered already; empty where it names none. */
  allowed(flag: string, text: string): Promise<readonly string[]>;
}

export function openDraft(shape: Shape, typed: Collected, examine: Examine): Draft {
  let line = typed;
  const withTexts = (flag: string, texts: readonly string[]): Collected => ({
    ...line,
    texts: new Map([...line.texts, [camel(flag), texts]]),
  });
  const withArgument = (key: string, words: readonly string[]): Collected => {
    const at = shape.arguments.findIndex(([name]) => name === key);
    const [, argument] = shape.arguments[at] ?? [];
    const given = shape.arguments.map((_, index) =>
      index !== at ? line.arguments[index] : argument?.variadic ? words : words[0],
    );
    return { ...line, arguments: given };
  };
  const against = async (longer: Collected, isMeant: (place: string) => boolean) => {
    const { problems, doubts } = await examine(longer);
    return [...problems, ...doubts].find(({ place }) => isMeant(place));
  };
  const said = async (
    longer: Collected,
    isMeant: (place: string) => boolean,
  ): Promise<string | undefined> => {
    try {
      const found = await against(longer, isMeant);
      return found && sentence(found.message, found.nearest);
    } catch (error) {
      // A file that cannot be read.
      if (error instanceof UsageError) return error.message;
      throw error;
    }
  };
  const ofFlag = (flag: string) => (place: string) => place === `--${flag}` || place.startsWith(`--${flag} `);
  return {
    line: () => line,
    texts: (flag) => line.texts.get(camel(flag)),
    give(flag, texts) {
      line = withTexts(flag, texts);
    },
    giveArgument(key, words) {
      line = withArgument(key, words);
    },
    examine: () => examine(line),
    objection: (flag, texts) => said(withTexts(flag, texts), ofFlag(flag)),
    objectionTo: (key, words) => {
      const [, argument] = shape.arguments.find(([name]) => name === key) ?? [];
      const place = `<${argument?.placeholder ?? key}>`;
      return said(withArgument(key, words), (at) => at === place || at.startsWith(`${place} `));
    },
    allowed: async (flag, text) => (await against(withTexts(flag, [text]), ofFlag(flag)))?.allowed ?? [],
  };
}

/** A rule without subject as a sentence: of what was just typed, its place goes without saying. */
function sentence(message: string, nearest: string | undefined): string {
  const rule = message
    .replace(/^[\w.[\]]*[.[\]][\w.[\]]*\s+/, '')
    .replace(' (the service will probably reject this)', '');
  const near = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
  return `The value ${rule}${near}`;
}
