/** The report as Markdown, for a pull request or a job's summary: the verdict, then what went wrong, then the rest. */
import { shortId } from '../../base/short-id.ts';
import { duration } from '../../terminal/index.ts';
import { isFailed } from '../format/suite.ts';
import { counted } from '../text.ts';
import type { Facts, ResultFacts, SessionFacts } from './facts.ts';

/** A comment on GitHub takes 65,536 characters, and this may not be all that is in it. */
const MOST_BYTES = 50_000;
const MOST_ROWS = 100;

/**
 * What could be read as markup of Markdown or HTML, as a link, a name or an issue: it is written as a reference, which never
 * is. In prose whoever is mentioned is broken by a space of no width, too, since some readers look for names afterwards.
 */
const MARKUP = /[\\`*[\]<>#|~@&$]|:(?=\S)|(?<![a-z\d])_|_(?![a-z\d])|(?<=www)\./gi;
const reference = (mark: string): string => `&#${mark.charCodeAt(0)};`;
const plain = (text: string): string =>
  text.replace(MARKUP, (mark) => `${reference(mark)}${mark === '@' || mark === '#' ? '&#8203;' : ''}`);

/** A foreign text beside ours, in which no reader looks for anything to make a link or a name of. */
const quoted = (text: string): string => `<code>${text.replace(MARKUP, reference)}</code>`;

/** What could end the place where a link leads, or begin something else before it ends. */
const BEYOND_LINK = /[()<>|\\`]/g;
const linked = (text: string, link: string | null): string => {
  if (link === null) return text;
  return `[${text}](${link.replace(BEYOND_LINK, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)})`;
};

const ICONS: Readonly<Record<SessionFacts['standing'], string>> = {
  failed: '❌',
  error: '❔',
  skipped: '⏭️',
  good: '✅',
};
const VERDICTS: Readonly<Record<Facts['verdict'], string>> = {
  passed: '✅',
  failed: '❌',
  cancelled: '❔',
  unknown: '❔',
};

interface Line {
  readonly icon: string;
  readonly result: string;
  readonly name: string;
  readonly location: string | null;
  readonly why: string | null;
  readonly took: number | null;
  readonly session: string;
  readonly link: string | null;
}

/** A line a bad result, of a suite one a test that failed, else one a session: what is well needs no more. */
function linesOf(session: SessionFacts): readonly Line[] {
  const name = session.name ?? session.id;
  const shared = { icon: ICONS[session.standing], session: session.id };
  const bad = session.standing === 'skipped' ? [] : session.results.filter((result) => result.isBad);
  if (session.standing !== 'good' && bad.length > 0) {
    return bad.flatMap((result: ResultFacts): readonly Line[] => {
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
  const isDegraded = session.verdict === 'degraded' && session.standing === 'good';
  const { status, error, timeElapsed, link } = session;
  const locations = session.results.flatMap(({ location }) => location ?? []);
  const where = locations.length > 3 ? `${locations.length} locations` : locations.join(', ');
  return [
    {
      ...shared,
      ...(isDegraded ? { icon: '⚠️' } : {}),
      ...{ result: status, name, location: where === '' ? null : where, why: error, took: timeElapsed, link },
    },
  ];
}

const rowText = ({ icon, result, name, location, why, took, session, link }: Line): string =>
  `| ${[
    `${icon} ${plain(result)}`,
    quoted(name),
    location === null ? '' : quoted(location),
    why === null ? '' : quoted(why),
    took === null ? '' : duration(took),
    linked(quoted(shortId(session)), link),
  ].join(' | ')} |\n`;

const HEAD = '| Result | Check | Location | Reason | Duration | Session |\n|---|---|---|---|--:|---|\n';

function tableOf({ sessions, noun }: Facts): readonly string[] {
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
  const told = counted(left.map(({ icon, result }) => `${icon} ${plain(result)}`)).slice(0, 20);
  return [text, `${left.length} more rows of ${noun}s: ${told.join(', ')}.\n`];
}

function unstartedOf({ unstarted }: Facts): readonly string[] {
  if (unstarted.length === 0) return [];
  const shown = unstarted.slice(0, 20).map(quoted).join(', ');
  const rest = unstarted.length > 20 ? ` and ${unstarted.length - 20} more` : '';
  return [
    `❔ The service started no session for the ${unstarted.length === 1 ? 'check' : 'checks'} ${shown}${rest}.\n`,
  ];
}

/** The whole file. */
export function toMarkdown(facts: Facts): string {
  const { verdict, sentence, tookMs, exitCode, startedAt, isOver, version } = facts;
  const since = `${new Date(startedAt).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  const how = isOver
    ? `Waited ${duration(tookMs)} from ${since}, exit code ${exitCode}`
    : `Waiting since ${since}`;
  return [
    `## ${VERDICTS[verdict]} ${plain(sentence)}\n`,
    ...tableOf(facts),
    ...unstartedOf(facts),
    `<sub>${how}. Generated by sonde ${plain(version)}.</sub>\n`,
  ].join('\n');
}
