/** Builds a command line from answers, as if the user had typed them. */
import { UsageError } from '../../base/errors.ts';
import type { JsonSchema } from '../../contract/index.ts';
import { nameOfValue } from '../../contract/value-names.ts';
import type { Choice } from '../../terminal/index.ts';
import { argumentLabel, type CommandSpec } from '../framework/command-spec.ts';
import type { ParseResult } from '../framework/parse-command-line.ts';
import type { TokenizedLine } from '../framework/program.ts';
import { camelCase, type RequestField } from '../framework/request-fields.ts';
import type { Command, Deps, Step } from '../framework/types.ts';

export type ParseLine = (line: TokenizedLine) => Promise<ParseResult>;

export type Draft = ReturnType<typeof createDraft>;

export function createDraft(spec: CommandSpec, typed: TokenizedLine, parse: ParseLine) {
  let line = typed;
  const withTexts = (flag: string, texts: readonly string[]): TokenizedLine => ({
    ...line,
    texts: new Map([...line.texts, [camelCase(flag), texts]]),
  });
  const withArgument = (key: string, words: readonly string[]): TokenizedLine => {
    const at = spec.arguments.findIndex(([name]) => name === key);
    const [, argument] = spec.arguments[at] ?? [];
    const values = spec.arguments.map((_, index) =>
      index !== at ? line.arguments[index] : argument?.variadic ? words : words[0],
    );
    return { ...line, arguments: values };
  };
  const findProblem = async (changed: TokenizedLine, isAtPlace: (place: string) => boolean) => {
    const { problems, gapProblems } = await parse(changed);
    return [...problems, ...gapProblems].find(({ place }) => isAtPlace(place));
  };
  const validate = async (
    changed: TokenizedLine,
    isAtPlace: (place: string) => boolean,
  ): Promise<string | undefined> => {
    try {
      const problem = await findProblem(changed, isAtPlace);
      return problem && formatProblem(problem.message, problem.nearest);
    } catch (error) {
      // The file cannot be read.
      if (error instanceof UsageError) return error.message;
      throw error;
    }
  };
  const isAtFlag = (flag: string) => (place: string) =>
    place === `--${flag}` || place.startsWith(`--${flag} `);
  return {
    line: () => line,
    texts: (flag: string) => line.texts.get(camelCase(flag)),
    setFlag(flag: string, texts: readonly string[]) {
      line = withTexts(flag, texts);
    },
    setArgument(key: string, words: readonly string[]) {
      line = withArgument(key, words);
    },
    parse: () => parse(line),
    /** Returns the problem of an answer as a sentence; undefined if it is valid. */
    validateFlag: (flag: string, texts: readonly string[]) =>
      validate(withTexts(flag, texts), isAtFlag(flag)),
    validateArgument(key: string, words: readonly string[]) {
      const [place] = spec.arguments.filter(([name]) => name === key).map((each) => argumentLabel(...each));
      return validate(withArgument(key, words), (at) => at === place || at.startsWith(`${place} `));
    },
    /** Returns the values that the contract allows together with the earlier answers; empty if it lists none. */
    allowedValues: async (flag: string, text: string): Promise<readonly string[]> =>
      (await findProblem(withTexts(flag, [text]), isAtFlag(flag)))?.allowed ?? [],
  };
}

/** Formats the problem of the value that the user just entered, without its place. */
function formatProblem(message: string, nearest: string | undefined): string {
  const rule = message
    .replace(/^(?=\w*[.[\]])[\w.[\]]+\s+/, '')
    .replace(' (the service will probably reject this)', '');
  const near = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
  return `The value ${rule}${near}`;
}

export interface PromptContext {
  readonly command: Command;
  readonly spec: CommandSpec;
  readonly deps: Deps;
  readonly draft: Draft;
}

/** A field to prompt for. */
export interface Question {
  readonly context: PromptContext;
  readonly field: RequestField;
  /** Its part of the interview; empty if it has none. */
  readonly step: Partial<Step>;
}

/** Returns the message of a prompt: that of the step, or else the field's description. */
export const promptMessage = ({ field: { schema, flag }, step: { message } }: Question): string =>
  `${message ?? schema.description ?? flag}:`;

export const promptOptions = ({ context, field }: Omit<Question, 'step'>) => ({
  flag: `--${field.flag}`,
  signal: context.deps.signal,
});

/** Returns a value as a choice: a number by its meaning, a word unchanged. */
function choiceOf(schema: JsonSchema, value: unknown): Choice<string> {
  const named = nameOfValue(schema, value);
  const text = String(value);
  const group = named?.group === undefined ? {} : { group: named.group };
  if (typeof value === 'number' && named) return { value: text, name: named.description, ...group };
  const unit = typeof value === 'number' && schema['x-unit'] ? ` ${schema['x-unit']}` : '';
  const described = named === undefined || named.description === '' ? {} : { description: named.description };
  return { value: text, name: `${text}${unit}`, ...described, ...group };
}

/** Returns the values of an enumeration, sorted by group. */
export function choicesOf(schema: JsonSchema): readonly Choice<string>[] {
  const all = (schema.enum ?? []).filter((value) => value !== null).map((value) => choiceOf(schema, value));
  const groups = [...new Set(all.map(({ group }) => group))];
  return groups.flatMap((group) => all.filter((one) => one.group === group));
}
