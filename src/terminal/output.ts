/** Validates the output flags and resolves them to options. */
import { type Problem, UsageError } from '../base/errors.ts';
import { didYouMean, findNearest } from '../base/suggest.ts';
import type { JqEnv, JqFilter } from './lazy/jq.ts';

/** The formats that every command supports. */
export const OUTPUT_FORMATS = ['table', 'tsv', 'json', 'jsonl', 'yaml', 'csv'] as const;

/** The formats that only some commands support. */
export type ExtraFormat = 'plain' | 'ical';
export type OutputFormat = (typeof OUTPUT_FORMATS)[number] | ExtraFormat;

/** The output flags before validation. */
export interface OutputFlags {
  readonly json?: boolean | undefined;
  readonly output?: string | undefined;
  readonly jq?: string | undefined;
  readonly fields?: string | undefined;
  readonly utc?: boolean | undefined;
}

/** The validated options. Without `format`: a table in a terminal, tab-separated text in a pipe. */
export interface OutputOptions {
  readonly format?: OutputFormat;
  readonly jq?: JqFilter;
  readonly fields?: readonly string[];
  readonly utc: boolean;
}

/** Returns whether results and errors are printed as JSON. */
export function wantsJson(output: Pick<OutputOptions, 'format'>): boolean {
  return output.format === 'json' || output.format === 'jsonl';
}

/**
 * Resolves the flags to options; `offered` lists the extra formats of a command. Throws one UsageError for all
 * conflicts. A jq expression is compiled here (jq loads only then), so that errors in it are reported before any
 * request. `env`: what jq's `env` and `$ENV` hold.
 */
export async function resolveOutput(
  flags: OutputFlags,
  offered: readonly ExtraFormat[] = [],
  env: JqEnv = {},
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
  throwProblems(problems);

  const format = parseFormat(output) ?? (flags.json || jq !== undefined ? 'json' : undefined);
  return {
    utc: flags.utc === true,
    ...(format === undefined ? {} : { format }),
    ...(jq === undefined ? {} : { jq: await compileFilter(jq, env) }),
    ...(fields === undefined ? {} : { fields: [...new Set(fields)] }),
  };
}

const parseFormat = (name: string | undefined): OutputFormat | undefined =>
  name === 'plain' || name === 'ical' ? name : OUTPUT_FORMATS.find((format) => format === name);

/** Throws one UsageError for all problems, if there are any. */
function throwProblems(problems: readonly Problem[]): void {
  const [first] = problems;
  if (!first) return;
  const message =
    problems.length === 1 ? `${first.place} ${first.message}` : 'invalid combination of output flags';
  throw new UsageError(message, {
    details: problems,
    hint: first.nearest === undefined ? undefined : didYouMean(first.nearest),
  });
}

async function compileFilter(expression: string, env: JqEnv): Promise<JqFilter> {
  const { compileJq } = await import('./lazy/jq.ts');
  const compiled = await compileJq(expression, env);
  if ('run' in compiled) return compiled;
  const [first] = compiled.problems;
  throw new UsageError(`--jq ${first?.message ?? 'is not a valid jq expression'}`, {
    details: compiled.problems,
    hint: 'see the jq manual: https://jqlang.org/manual/',
  });
}
