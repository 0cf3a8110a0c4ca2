/** Runs jq (WebAssembly). Lazy-loaded for `--jq`. */
import { loadJq } from 'jq-wasm';
import { OutputError, type Problem } from '../../base/errors.ts';

/** A compiled expression. Both functions throw OutputError if it fails on the input. */
export interface JqFilter {
  /** Runs it on a JSON text. Each returned value is one compact JSON text. */
  run(json: string): readonly string[];
  /** Runs it on each row, a JSON text, and returns lines of JSON. `first` is the number of previous rows. */
  runEach(rows: readonly string[], first: number): readonly string[];
}

export type JqEnv = Readonly<Record<string, string | undefined>>;

type Jq = Awaited<ReturnType<typeof loadJq>>;
interface JqOutput {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Precedes the expression, so that jq does not parse one such as `-.a` as an option. */
const EXPRESSION_PREFIX = ' ';

/** Compiles an expression without running it. Returns a filter, or problems with their position. */
export async function compileJq(
  expression: string,
  env: JqEnv,
): Promise<JqFilter | { readonly problems: readonly Problem[] }> {
  const jq = await loadJq();
  const compiled = runJq(jq, '', EXPRESSION_PREFIX + expression);
  if (compiled.exitCode !== 0) {
    const { parseJqErrors } = await import('./parse-jq-errors.ts');
    const builtins = () => jq.raw('null', 'builtins[] | sub("/.*"; "")', ['-r']).stdout.split('\n');
    return {
      problems: await parseJqErrors(compiled.stderr, expression, {
        lead: EXPRESSION_PREFIX.length,
        builtins,
      }),
    };
  }

  const [program, flags] = withEnv(EXPRESSION_PREFIX + expression, env);
  // The line break closes an expression that ends with a comment.
  const [eachOf] = withEnv(`${EXPRESSION_PREFIX}.[] | (${expression}\n)`, env);
  return {
    run(json) {
      const output = runJq(jq, json, program, flags);
      if (output.exitCode === 0) return parseValues(output);
      const rows = json.length <= MAX_SEARCHED ? (JSON.parse(json) as unknown) : undefined;
      if (!Array.isArray(rows)) throw filterError(formatJqError(output), json.startsWith('['));
      const failingRow = firstFailing(rows.length, (count) => {
        return runJq(jq, JSON.stringify(rows.slice(0, count)), program, flags).exitCode !== 0;
      });
      if (failingRow === undefined) throw filterError(formatJqError(output), true);
      throw filterError(
        formatJqError(output),
        true,
        `row ${failingRow + 1} of ${rows.length}`,
        JSON.stringify(rows[failingRow]),
      );
    },
    runEach(rows, first) {
      const runOver = (some: readonly string[]) => runJq(jq, `[${some.join(',')}]`, eachOf, flags);
      const output = runOver(rows);
      if (output.exitCode === 0) return parseValues(output).map((value) => `${value}\n`);
      const failingRow =
        firstFailing(rows.length, (count) => runOver(rows.slice(0, count)).exitCode !== 0) ?? 0;
      throw filterError(formatJqError(output), false, `row ${first + failingRow + 1}`, rows[failingRow]);
    },
  };
}

const parseValues = ({ stdout }: JqOutput): readonly string[] => (stdout === '' ? [] : stdout.split('\n'));

const USES_ENV = /\benv\b|\$ENV\b/;

/** Wraps an expression so that `env` and `$ENV` are the environment of sonde, and not that of the WebAssembly module. */
function withEnv(expression: string, env: JqEnv): readonly [expression: string, flags: readonly string[]] {
  if (!USES_ENV.test(expression)) return [expression, []];
  const wrapped = `def env: $__env; $__env as $ENV | (${expression}\n)`;
  return [wrapped, ['--argjson', '__env', JSON.stringify(env)]];
}

/**
 * Runs jq. Its memory limit is 256 MiB for input and results; its own message on exhaustion is useless, so it is
 * hidden.
 */
function runJq(jq: Jq, json: string, expression: string, flags: readonly string[] = []): JqOutput {
  const { error } = console;
  console.error = () => {};
  try {
    return jq.raw(json, expression, ['-c', ...flags]);
  } catch (cause) {
    const size = (Buffer.byteLength(json) / 1e6).toFixed(0);
    throw new OutputError(`--jq ran out of memory: the limit is 256 MiB, and the JSON has ${size} MB`, {
      cause,
      hint: 'to filter a list row by row in constant memory, use -o jsonl --jq',
    });
  } finally {
    console.error = error;
  }
}

/** In a longer result (characters) the search for the failing row would take too long. */
const MAX_SEARCHED = 4_000_000;

/** Returns the first row on which the filter fails; undefined if it fails without rows. */
function firstFailing(count: number, fails: (count: number) => boolean): number | undefined {
  if (count === 0 || fails(0)) return undefined;
  let [passing, failing] = [0, count];
  while (failing - passing > 1) {
    const middle = Math.floor((passing + failing) / 2);
    if (fails(middle)) failing = middle;
    else passing = middle;
  }
  return failing - 1;
}

const MAX_SHOWN = 60;

/** Returns the error of a failed filter: the message of jq, the row number, and the row. */
function filterError(complaint: string, isList: boolean, place?: string, row?: string): OutputError {
  const cut = row === undefined || row.length <= MAX_SHOWN ? row : `${row.slice(0, MAX_SHOWN)}…`;
  const isWhole = isList && place === undefined && complaint.startsWith('Cannot index array with');
  const list = isWhole ? 'the result is a list: use .[] to select its rows, for example .[].name' : undefined;
  return new OutputError(`--jq failed on ${place ?? 'this result'}: ${complaint}`, {
    details: [{ place: '--jq', message: complaint }],
    hint: cut === undefined ? (list ?? 'to see the unfiltered result, use --json') : `the row is ${cut}`,
  });
}

/** Returns the runtime errors of jq without the name of its input. */
const formatJqError = ({ stderr }: JqOutput): string =>
  stderr
    .split('\n')
    .map((line) => line.replace(/^jq: error(?: \(at [^)]*\))?:? /, ''))
    .filter((line) => line.trim() !== '')
    .join('; ') || 'jq exited without a message';
