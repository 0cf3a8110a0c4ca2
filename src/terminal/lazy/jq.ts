/** jq itself (WebAssembly), loaded only for `--jq`. */
import { loadJq } from 'jq-wasm';

export type JqAnswer =
  | { readonly ok: true; readonly values: readonly string[] }
  | { readonly ok: false; readonly complaint: string };

/** An expression that compiles. */
export interface JqFilter {
  /** Runs it over a JSON text; every value it gives is one compact JSON text. */
  run(json: string): JqAnswer;
}

/** jq's own words without its summary and the name of its input; the first line's columns without the space put in front. */
function tidy(complaint: string): string {
  let inFirstLine = false;
  return complaint
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^jq: \d+ compile errors?$/.test(line))
    .map((line) => {
      if (!line.startsWith('jq: error')) return inFirstLine ? line.replace(/^ /, '') : line;
      inFirstLine = line.includes(' at <top-level>, line 1, ');
      return line
        .replace(/^jq: error(?: \(at [^)]*\))?: /, '')
        .replace(
          / at <top-level>, line 1, column (\d+):$/,
          (_, column) => ` at column ${Number(column) - 1}:`,
        )
        .replace(/ at <top-level>, (line \d+, column \d+):$/, ' at $1:');
    })
    .join('\n');
}

/** Compiles an expression without running it: a filter, or what is wrong, pointing into the expression. */
export async function compileJq(expression: string): Promise<JqFilter | { readonly complaint: string }> {
  const jq = await loadJq();
  // A leading space keeps an expression such as `-.a` from being read as an option.
  const run = (json: string) => jq.raw(json, ` ${expression}`, ['-c']);

  const compiled = run('');
  if (compiled.exitCode !== 0) return { complaint: tidy(compiled.stderr) };
  return {
    run(json) {
      const { exitCode, stderr, stdout } = run(json);
      if (exitCode !== 0) return { ok: false, complaint: tidy(stderr) };
      return { ok: true, values: stdout === '' ? [] : stdout.split('\n') };
    },
  };
}
