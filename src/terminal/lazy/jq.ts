/** jq itself (WebAssembly), loaded only for `--jq`. */
import { loadJq } from 'jq-wasm';
import { OutputError, type Problem } from '../../base/errors.ts';

/** An expression that compiles. Both throw OutputError where it does not fit what it is given. */
export interface JqFilter {
  /** Runs it over a JSON text; every value it gives is one compact JSON text. */
  run(json: string): readonly string[];
  /** Runs it over each of some rows, JSON texts, by itself; gives lines of JSON. `first`: how many rows came before. */
  each(rows: readonly string[], first: number): readonly string[];
}

type Jq = Awaited<ReturnType<typeof loadJq>>;
interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** In front of the expression, so that one such as `-.a` is not read as an option. */
const LEAD = ' ';

/** Compiles an expression without running it: a filter, or what is wrong, pointing into the expression. */
export async function compileJq(
  expression: string,
): Promise<JqFilter | { readonly problems: readonly Problem[] }> {
  const jq = await loadJq();
  const compiled = runJq(jq, '', LEAD + expression);
  if (compiled.exitCode !== 0) {
    const { problemsIn } = await import('./jq-problems.ts');
    const builtins = () => jq.raw('null', 'builtins[] | sub("/.*"; "")', ['-r']).stdout.split('\n');
    return { problems: await problemsIn(compiled.stderr, expression, { lead: LEAD.length, builtins }) };
  }

  // Each value of the array by itself, whatever ends the expression: a comment, too.
  const eachOf = `${LEAD}.[] | (${expression}\n)`;
  return {
    run(json) {
      const ran = runJq(jq, json, LEAD + expression);
      if (ran.exitCode === 0) return valuesOf(ran);
      const rows = json.length <= MOST_SEARCHED ? (JSON.parse(json) as unknown) : undefined;
      if (!Array.isArray(rows)) throw misfit(complaintOf(ran), json.startsWith('['));
      const blamed = firstFailing(rows.length, (count) => {
        return runJq(jq, JSON.stringify(rows.slice(0, count)), LEAD + expression).exitCode !== 0;
      });
      if (blamed === undefined) throw misfit(complaintOf(ran), true);
      throw misfit(
        complaintOf(ran),
        true,
        `row ${blamed + 1} of ${rows.length}`,
        JSON.stringify(rows[blamed]),
      );
    },
    each(rows, first) {
      const runOver = (some: readonly string[]) => runJq(jq, `[${some.join(',')}]`, eachOf);
      const ran = runOver(rows);
      if (ran.exitCode === 0) return valuesOf(ran).map((value) => `${value}\n`);
      const blamed = firstFailing(rows.length, (count) => runOver(rows.slice(0, count)).exitCode !== 0) ?? 0;
      throw misfit(complaintOf(ran), false, `row ${first + blamed + 1}`, rows[blamed]);
    },
  };
}

const valuesOf = ({ stdout }: Ran): readonly string[] => (stdout === '' ? [] : stdout.split('\n'));

/** jq has 256 MiB for a text and all that it makes of it. What it says where that is not enough is no help to anybody. */
function runJq(jq: Jq, json: string, expression: string): Ran {
  const { error } = console;
  console.error = () => {};
  try {
    return jq.raw(json, expression, ['-c']);
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

/** Of longer results nobody waits for the row to be found. */
const MOST_SEARCHED = 4_000_000;

/** The row without which those before it pass; undefined where none is to blame. */
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

const MOST_SHOWN = 60;

/** The error of an expression that does not fit: what jq says, of which row, and what that row is. */
function misfit(complaint: string, isList: boolean, place?: string, row?: string): OutputError {
  const cut = row === undefined || row.length <= MOST_SHOWN ? row : `${row.slice(0, MOST_SHOWN)}…`;
  const isWhole = isList && place === undefined && complaint.startsWith('Cannot index array with');
  const list = isWhole ? 'the result is a list: use .[] to select its rows, for example .[].name' : undefined;
  return new OutputError(`--jq failed on ${place ?? 'this result'}: ${complaint}`, {
    details: [{ place: '--jq', message: complaint }],
    hint: cut === undefined ? (list ?? 'to see the unfiltered result, use --json') : `the row is ${cut}`,
  });
}

/** jq's own words of what went wrong while it ran, without the name of its input. */
const complaintOf = ({ stderr }: Ran): string =>
  stderr
    .split('\n')
    .map((line) => line.replace(/^jq: error(?: \(at [^)]*\))?:? /, ''))
    .filter((line) => line.trim() !== '')
    .join('; ') || 'jq exited without a message';
