/** Parses `--report junit:FILE`. */
import { normalize } from 'node:path';
import {
  custom,
  invalidChoice,
  type Option,
  type ReportProblem,
} from '../../../src/cli/framework/options.ts';
import type { ReportTarget } from '../../../src/gate/index.ts';

/** File extensions for the examples in errors. */
const EXTENSIONS: Readonly<Record<ReportTarget['kind'], string>> = {
  junit: 'xml',
  markdown: 'md',
  json: 'json',
};
const KINDS = Object.keys(EXTENSIONS) as readonly ReportTarget['kind'][];

const STDOUT: readonly string[] = ['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1'];

function parseReport(text: string, reportProblem: ReportProblem): ReportTarget | undefined {
  const at = text.indexOf(':');
  const [word, file] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
  const kind = KINDS.find((each) => each === word);
  if (kind === undefined) {
    const { nearest, ...problem } = invalidChoice(word, KINDS);
    // The suggestion keeps the file that the user typed.
    const near = nearest === undefined ? {} : { nearest: `${nearest}:${file || 'FILE'}` };
    reportProblem({
      ...problem,
      message: `must begin with ${KINDS.slice(0, -1).join(':, ')}: or ${KINDS.at(-1)}:, and name a file, not "${text}"`,
      ...near,
    });
    return undefined;
  }
  if (file === '') {
    reportProblem({ message: `must name a file, such as ${kind}:report.${EXTENSIONS[kind]}, not "${text}"` });
    return undefined;
  }
  if (STDOUT.includes(file)) {
    reportProblem({
      message: `must name a file: stdout is for the sessions (print them with --json), not "${text}"`,
    });
    return undefined;
  }
  return { kind, file };
}

const singleReport = custom(
  'Report to write: junit, markdown or json; repeatable; written for every verdict',
  { placeholder: 'kind:file' },
  parseReport,
);

/** The repeatable option. Two reports must not use the same file. */
export const reportOption: Option<readonly ReportTarget[]> = {
  ...singleReport,
  allowed: KINDS,
  read(texts, reportProblem) {
    const reports = singleReport.read(texts, reportProblem);
    const seen = new Set<string>();
    for (const { file } of reports) {
      const name = normalize(file);
      if (seen.has(name)) reportProblem({ message: `must be unique: two reports use ${file}` });
      seen.add(name);
    }
    return reports;
  },
};
