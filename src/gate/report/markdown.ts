/** Formats the report as Markdown for a pull request or a job summary: the verdict, failures, then the rest. */

import { formatDuration } from '../../base/format-duration.ts';
import { shortId } from '../../base/short-id.ts';
import { absenceText } from '../format/lines.ts';
import { isFailed } from '../format/suite.ts';
import { counted } from '../words/text.ts';
import type { ReportData, ResultData, SessionData } from './data.ts';

/** A GitHub comment holds 65,536 characters, and may contain other text. */
const MOST_BYTES = 50_000;
const MOST_ROWS = 100;

/**
 * Characters that Markdown or HTML could read as markup, a link, a mention or an issue. They are written as character references.
 * In prose a zero-width space also breaks mentions, because some readers look for them afterwards.
 */
const MARKUP = /[\\`*[\]<>#|~@&$]|:(?=\S)|(?<![a-z\d])_|_(?![a-z\d])|(?<=www)\./gi;
const reference = (mark: string): string => `&#${mark.charCodeAt(0)};`;
const plain = (text: string): string =>
  text.replace(MARKUP, (mark) => `${reference(mark)}${mark === '@' || mark === '#' ? '&#8203;' : ''}`);

/** Formats a text as code, in which readers do not look for links or mentions. */
const quoted = (text: string): string => `<code>${text.replace(MARKUP, reference)}</code>`;

/** Characters that could end the target of a link early. */
const LINK_BREAKERS = /[()<>|\\`]/g;
const linked = (text: string, link: string | null): string => {
  if (link === null) return text;
  return `[${text}](${link.replace(LINK_BREAKERS, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)})`;
};

const ICONS: Readonly<Record<SessionData['outcome'], string>> = {
  failed: '❌',
  error: '❔',
  skipped: '⏭️',
  good: '✅',
};
const VERDICTS: Readonly<Record<ReportData['verdict'], string>> = {
  passed: '✅',
  failed: '❌',
  cancelled: '❔',
  unknown: '❔',
};

interface TableRow {
  readonly icon: string;
  readonly result: string;
  readonly name: string;
  readonly location: string | null;
  readonly why: string | null;
  readonly took: number | null;
  readonly session: string;
  readonly link: string | null;
}

/** Returns one row per bad result, per failed test of a suite, or per good session. */
function linesOf(session: SessionData): readonly TableRow[] {
  const name = session.name ?? session.id;
  const shared = { icon: ICONS[session.outcome], session: session.id };
  const bad = session.outcome === 'skipped' ? [] : session.results.filter((result) => result.isBad);
  if (session.outcome !== 'good' && bad.length > 0) {
    return bad.flatMap((result: ResultData): readonly TableRow[] => {
      const line = {
        ...shared,
        result: result.result,
        name: result.name ?? name,
        location: result.location,
        why: result.error ?? session.error,
        took: result.responseTime ?? session.timeElapsed,
        link: result.link ?? session.link,
      };
      const failed = result.suite?.tests.filter(isFailed) ?? [];
      if (failed.length === 0) return [line];
      return failed.map(({ title, error: [first], took }) => ({
        ...line,
        why: first === undefined ? title : `${title}: ${first}`,
        took,
      }));
    });
  }
  const isDegraded = session.verdict === 'degraded' && session.outcome === 'good';
  const { status, error, timeElapsed, link } = session;
  const locations = session.results.flatMap(({ location }) => location ?? []);
  const where = locations.length > 3 ? `${locations.length} locations` : locations.join(', ');
  return [
    {
      ...shared,
      ...(isDegraded ? { icon: '⚠️' } : {}),
      result: status,
      name,
      location: where === '' ? null : where,
      why: error,
      took: timeElapsed,
      link,
    },
  ];
}

const rowText = ({ icon, result, name, location, why, took, session, link }: TableRow): string =>
  `| ${[
    `${icon} ${plain(result)}`,
    quoted(name),
    location === null ? '' : quoted(location),
    why === null ? '' : quoted(why),
    took === null ? '' : formatDuration(took),
    linked(quoted(shortId(session)), link),
  ].join(' | ')} |\n`;

const HEAD = '| Result | Check | Location | Reason | Duration | Session |\n|---|---|---|---|--:|---|\n';

function tableOf({ sessions, noun }: ReportData): readonly string[] {
  if (sessions.length === 0) return [];
  const lines = sessions.flatMap(linesOf);
  let text = HEAD;
  let shown = 0;
  for (const line of lines.slice(0, MOST_ROWS)) {
    const row = rowText(line);
    if (Buffer.byteLength(text) + Buffer.byteLength(row) > MOST_BYTES) break;
    text += row;
    shown += 1;
  }
  const left = lines.slice(shown);
  if (left.length === 0) return [text];
  const counts = counted(left.map(({ icon, result }) => `${icon} ${plain(result)}`)).slice(0, 20);
  return [text, `${left.length} more rows of ${noun}s: ${counts.join(', ')}.\n`];
}

function unstartedOf({ unstarted, noun }: ReportData): readonly string[] {
  if (unstarted.length === 0) return [];
  const shown = unstarted.slice(0, 20).map(quoted).join(', ');
  const rest = unstarted.length > 20 ? ` and ${unstarted.length - 20} more` : '';
  return [
    `❔ The service ${absenceText(noun)} for the ${unstarted.length === 1 ? 'check' : 'checks'} ${shown}${rest}.\n`,
  ];
}

/** Maximum number of contradictory sessions that are named. */
const MOST_CONTRADICTIONS = 20;

/** Names the sessions whose results contradict their status. */
const contradictionsOf = ({ sessions }: ReportData): readonly string[] => {
  const lines = sessions.flatMap(({ name, id, contradiction }) =>
    contradiction === null ? [] : [`❔ ${quoted(name ?? id)}: ${plain(contradiction)}.\n`],
  );
  const left = lines.length - MOST_CONTRADICTIONS;
  return left > 0 ? [...lines.slice(0, MOST_CONTRADICTIONS), `❔ And ${left} more sessions.\n`] : lines;
};

/** Returns the whole file. */
export function toMarkdown(facts: ReportData): string {
  const { verdict, sentence, tookMs, exitCode, startedAt, isOver, version } = facts;
  const since = `${new Date(startedAt).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  const how = isOver
    ? `Waited ${formatDuration(tookMs)} from ${since}, exit code ${exitCode}`
    : `Waiting since ${since}`;
  return [
    `## ${VERDICTS[verdict]} ${plain(sentence)}\n`,
    ...tableOf(facts),
    ...contradictionsOf(facts),
    ...unstartedOf(facts),
    `<sub>${how}. Generated by sonde ${plain(version)}.</sub>\n`,
  ].join('\n');
}
