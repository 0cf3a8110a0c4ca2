/** Judges the flags that say in which form a result is printed. */
import { type Problem, UsageError } from '../base/errors.ts';
import { didYouMean, findNearest } from '../base/suggest.ts';
import type { JqFilter } from './lazy/jq.ts';

/** The formats that every command offers. */
export const OUTPUT_FORMATS = ['table', 'tsv', 'json', 'jsonl', 'yaml', 'csv'] as const;

/** Formats that only some commands offer. */
export type ExtraFormat = 'plain' | 'ical';
export type OutputFormat = (typeof OUTPUT_FORMATS)[number] | ExtraFormat;

/** What the command line gave, unjudged. */
export interface OutputFlags {
  readonly json?: boolean | undefined;
  readonly output?: string | undefined;
  readonly jq?: string | undefined;
  readonly fields?: string | undefined;
  readonly utc?: boolean | undefined;
}

/** What was meant. `format` absent: a table in a terminal, tab-separated in a pipe. */
export interface OutputOptions {
  readonly format?: OutputFormat;
  readonly jq?: JqFilter;
  readonly fields?: readonly string[];
  readonly utc: boolean;
}

/** Whether a result (and so an error, too) is for a program that reads JSON. */
export function wantsJson(output: Pick<OutputOptions, 'format'>): boolean {
  return output.format === 'json' || output.format === 'jsonl';
}

/**
 * Turns the flags into options; `offered` names the formats a command has besides the common ones. Throws UsageError with
 * every contradiction at once. A jq expression is compiled here (jq is loaded only then), so that a mistake in it is
 * told before anything is sent.
 */
export async function resolveOutput(
  flags: OutputFlags,
  offered: readonly ExtraFormat[] = [],
): Promise<OutputOptions> {
  const problems: Problem[] = [];
  const formats: readonly string[] = [...OUTPUT_FORMATS, ...offered];
  const { output, jq } = flags;

  if (output !== undefined && !formats.includes(output)) {
    const near = findNearest(output, formats);
    problems.push({
      place: '--output',
      message: `does not support the format "${output}" here`,
      allowed: formats,
      ...(near === undefined ? {} : { nearest: near }),
    });
  } else if (flags.json && output !== undefined && output !== 'json') {
    problems.push({ place: '--json', message: `and -o ${output} are mutually exclusive` });
  } else if (jq !== undefined && output !== undefined && output !== 'json' && output !== 'jsonl') {
    problems.push({
      place: '--jq',
      message: `cannot be combined with -o ${output}; with -o jsonl it filters row by row`,
    });
  }
  if (jq !== undefined && jq.trim() === '') {
    problems.push({ place: '--jq', message: 'must not be empty; for the whole result, use .' });
  }
  const fields = flags.fields?.split(',').map((field) => field.trim());
  if (fields?.some((field) => field === '')) {
    problems.push({
      place: '--fields',
      message: 'contains an empty name; separate names with commas, such as id,name',
    });
  }
  if (fields && (output === 'plain' || output === 'ical')) {
    problems.push({ place: '--fields', message: `cannot be combined with -o ${output}` });
  }
  refuse(problems);

  const format = formatOf(output) ?? (flags.json || jq !== undefined ? 'json' : undefined);
  return {
    utc: flags.utc === true,
    ...(format === undefined ? {} : { format }),
    ...(jq === undefined ? {} : { jq: await compile(jq) }),
    ...(fields === undefined ? {} : { fields: [...new Set(fields)] }),
  };
}

const formatOf = (name: string | undefined): OutputFormat | undefined =>
  name === 'plain' || name === 'ical' ? name : OUTPUT_FORMATS.find((format) => format === name);

/** Throws one UsageError for all problems, or nothing. */
function refuse(problems: readonly Problem[]): void {
  const [first] = problems;
  if (!first) return;
  const message =
    problems.length === 1 ? `${first.place} ${first.message}` : 'invalid combination of output flags';
  throw new UsageError(message, {
    details: problems,
    hint: first.nearest === undefined ? undefined : didYouMean(first.nearest),
  });
}

async function compile(expression: string): Promise<JqFilter> {
  const { compileJq } = await import('./lazy/jq.ts');
  const compiled = await compileJq(expression);
  if ('run' in compiled) return compiled;
  const [first] = compiled.problems;
  throw new UsageError(`--jq ${first?.message ?? 'is not a valid jq expression'}`, {
    details: compiled.problems,
    hint: 'see the jq manual: https://jqlang.org/manual/',
  });
}
