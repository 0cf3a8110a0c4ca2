/** Formats failures as annotations for GitHub Actions (workflow commands). */
import { absenceText } from '../format/lines.ts';
import type { ReportData, SessionData } from './data.ts';

/** GitHub shows this many annotations per step, and silently drops the rest. */
const MOST = 10;
const MOST_REASONS = 3;
const LONGEST = 1000;

interface Annotation {
  readonly level: 'error' | 'warning';
  readonly title: string;
  readonly message: string;
}

const escapeData = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const escapeProperty = (text: string): string =>
  escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

const command = ({ level, title, message }: Annotation): string =>
  `::${level} title=${escapeProperty(title)}::${escapeData(message)}\n`;

function annotationOf(session: SessionData): readonly Annotation[] {
  const { outcome, verdict, status, error, link, id } = session;
  const title = `${session.name ?? id} ${status}`;
  if (outcome === 'skipped' || (outcome === 'good' && verdict !== 'degraded')) return [];
  if (outcome === 'good') {
    return [
      { level: 'warning', title, message: `degraded (allowed by this gate)${link ? ` (${link})` : ''}` },
    ];
  }
  const bad = session.results.filter((result) => result.isBad && (result.location || result.error));
  const reasons = bad
    .slice(0, MOST_REASONS)
    .map((result) =>
      [result.location, result.error ?? result.result].filter((word) => word !== null).join(': '),
    );
  const rest = bad.length > MOST_REASONS ? [`and ${bad.length - MOST_REASONS} more`] : [];
  const text = [...(error ? [error] : []), ...reasons, ...rest].join('; ').slice(0, LONGEST);
  const message = `${text === '' ? `session ${id}` : text}${link ? ` (${link})` : ''}`;
  return [{ level: 'error', title, message }];
}

/** Returns the workflow commands, one per line; '' if everything passed. */
export function toAnnotations(facts: ReportData): string {
  const unstarted = facts.unstarted.map(
    (id): Annotation => ({
      level: 'error',
      title: `check ${id}`,
      message: `the service ${absenceText(facts.noun)} for this check`,
    }),
  );
  const errors = [...facts.sessions.flatMap(annotationOf), ...unstarted].toSorted(
    (one, other) => Number(one.level === 'warning') - Number(other.level === 'warning'),
  );
  const isExplained = facts.exitCode === 0 || errors.some(({ level }) => level === 'error');
  const all: readonly Annotation[] = isExplained
    ? errors
    : [{ level: 'error', title: 'sonde', message: facts.sentence }, ...errors];
  if (all.length <= MOST) return all.map(command).join('');
  const rest = all.slice(MOST - 1);
  const level = rest.some((each) => each.level === 'error') ? 'error' : 'warning';
  const message = `${rest.length} more failures; see the log. ${facts.sentence}`;
  return [...all.slice(0, MOST - 1), { level, title: 'sonde', message } as const].map(command).join('');
}
