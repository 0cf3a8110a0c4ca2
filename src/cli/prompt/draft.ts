/** A command line that grows answer by answer: what is answered stands in it as if it had been typed. */
import { UsageError } from '../../base/errors.ts';
import type { CommandSpec } from '../framework/command-spec.ts';
import type { ParseResult } from '../framework/parse-command-line.ts';
import { camelCase } from '../framework/request-fields.ts';
import type { TokenizedLine } from '../framework/tokenize-argv.ts';

export type ParseLine = (line: TokenizedLine) => Promise<ParseResult>;

export interface Draft {
  /** The line so far. */
  line(): TokenizedLine;
  /** What a flag was given; undefined where it was not. */
  texts(flag: string): readonly string[] | undefined;
  setFlag(flag: string, texts: readonly string[]): void;
  setArgument(key: string, words: readonly string[]): void;
  /** What the line so far comes to. */
  parse(): Promise<ParseResult>;
  /** What the contract says against an answer, as a sentence; undefined where nothing. */
  validateFlag(flag: string, texts: readonly string[]): Promise<string | undefined>;
  /** As `objection`, of what an argument is given. */
  validateArgument(key: string, words: readonly string[]): Promise<string | undefined>;
  /** The few values that the contract allows for a flag beside what was answered already; empty where it names none. */
  allowedValues(flag: string, text: string): Promise<readonly string[]>;
}

export function createDraft(spec: CommandSpec, typed: TokenizedLine, examine: ParseLine): Draft {
  let line = typed;
  const withTexts = (flag: string, texts: readonly string[]): TokenizedLine => ({
    ...line,
    texts: new Map([...line.texts, [camelCase(flag), texts]]),
  });
  const withArgument = (key: string, words: readonly string[]): TokenizedLine => {
    const at = spec.arguments.findIndex(([name]) => name === key);
    const [, argument] = spec.arguments[at] ?? [];
    const given = spec.arguments.map((_, index) =>
      index !== at ? line.arguments[index] : argument?.variadic ? words : words[0],
    );
    return { ...line, arguments: given };
  };
  const findProblem = async (longer: TokenizedLine, isMeant: (place: string) => boolean) => {
    const { problems, gapProblems: doubts } = await examine(longer);
    return [...problems, ...doubts].find(({ place }) => isMeant(place));
  };
  const validate = async (
    longer: TokenizedLine,
    isMeant: (place: string) => boolean,
  ): Promise<string | undefined> => {
    try {
      const found = await findProblem(longer, isMeant);
      return found && formatProblem(found.message, found.nearest);
    } catch (error) {
      // A file that cannot be read.
      if (error instanceof UsageError) return error.message;
      throw error;
    }
  };
  const isPlaceOfFlag = (flag: string) => (place: string) =>
    place === `--${flag}` || place.startsWith(`--${flag} `);
  return {
    line: () => line,
    texts: (flag) => line.texts.get(camelCase(flag)),
    setFlag(flag, texts) {
      line = withTexts(flag, texts);
    },
    setArgument(key, words) {
      line = withArgument(key, words);
    },
    parse: () => examine(line),
    validateFlag: (flag, texts) => validate(withTexts(flag, texts), isPlaceOfFlag(flag)),
    validateArgument: (key, words) => {
      const [, argument] = spec.arguments.find(([name]) => name === key) ?? [];
      const place = `<${argument?.placeholder ?? key}>`;
      return validate(withArgument(key, words), (at) => at === place || at.startsWith(`${place} `));
    },
    allowedValues: async (flag, text) =>
      (await findProblem(withTexts(flag, [text]), isPlaceOfFlag(flag)))?.allowed ?? [],
  };
}

/** A rule without subject as a sentence: of what was just typed, its place goes without saying. */
function formatProblem(message: string, nearest: string | undefined): string {
  const rule = message
    .replace(/^[\w.[\]]*[.[\]][\w.[\]]*\s+/, '')
    .replace(' (the service will probably reject this)', '');
  const near = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
  return `The value ${rule}${near}`;
}
