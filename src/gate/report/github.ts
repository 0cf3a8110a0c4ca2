/** What GitHub Actions is told: annotations of what is not well, as workflow commands. */
import type { Facts, SessionFacts } from './facts.ts';

/** GitHub shows so many of a step, and drops the rest without a word. */
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

function annotationOf(session: SessionFacts): readonly Annotation[] {
  const { standing, verdict, status, error, link, id } = session;
  const title = `${session.name ?? id} ${status}`;
  if (standing === 'skipped' || (standing === 'good' && verdict !== 'degraded')) return [];
  if (standing === 'good') {
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
  const told = [...(error ? [error] : []), ...reasons, ...rest].join('; ').slice(0, LONGEST);
  const message = `${told === '' ? `session ${id}` : told}${link ? ` (${link})` : ''}`;
  return [{ level: 'error', title, message }];
}

/** The workflow commands, a line each; none where all is well. */
export function toAnnotations(facts: Facts): string {
  const unstarted = facts.unstarted.map(
    (id): Annotation => ({
      level: 'error',
      title: `check ${id}`,
      message: 'the service started no session for this check',
    }),
  );
  const errors = [...facts.sessions.flatMap(annotationOf), ...unstarted].toSorted(
    (one, other) => Number(one.level === 'warning') - Number(other.level === 'warning'),
  );
  const isTold = facts.exitCode === 0 || errors.some(({ level }) => level === 'error');
  const all: readonly Annotation[] = isTold
    ? errors
    : [{ level: 'error', title: 'sonde', message: facts.sentence }, ...errors];
  if (all.length <= MOST) return all.map(command).join('');
  const rest = all.slice(MOST - 1);
  const level = rest.some((each) => each.level === 'error') ? 'error' : 'warning';
  const message = `${rest.length} more failures; see the log. ${facts.sentence}`;
  return [...all.slice(0, MOST - 1), { level, title: 'sonde', message } as const].map(command).join('');
}
