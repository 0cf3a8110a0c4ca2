/** What came of a service that endured, as a table: what happened to it, what was accounted for, what was wrong. */
import { type Endured, isGrowing } from './endure.ts';

const MOST_WRONG = 50;

const counts = (all: Readonly<Record<string, number>>): string =>
  Object.entries(all)
    .map(([name, count]) => `${count} × ${name}`)
    .join(', ') || 'none';

export function tableOf(endured: Endured): string {
  const { faults, misbehaved, writes, items, account, flat, wrong, seconds } = endured;
  const { ticks, sessions, alerts, incidents } = account;
  const refused = Object.entries(writes.refused).map(([status, count]) => `${count} by ${status}`);
  const rows: (readonly [string, string])[] = [
    ['time', `${(seconds / 60).toFixed(1)} minutes`],
    ['faults', counts(faults)],
    ['receivers', counts(misbehaved)],
    [
      'writes',
      `${writes.acknowledged} acknowledged, ${writes.unanswered} unanswered, refused: ${refused.join(', ') || 'none'}; ${items} things looked for in the end`,
    ],
    ['ticks', `${ticks.due} due, ${ticks.missed} recorded as missed`],
    ['sessions', counts(sessions)],
    ['gates', `${account.gates} judged`],
    [
      'alerts',
      `${alerts.expected} expected by the model without reminders, ${alerts.written} written, ${alerts.taken} taken by receivers, ${alerts.again} of them again after a kill, ${alerts.waiting} to be tried again`,
    ],
    ['incidents', `${incidents.expected} expected, ${incidents.opened} opened, ${incidents.open} open`],
    ['artifacts', `${account.artifacts} in their place`],
    ['log, store', `${endured.logMb.toFixed(1)} MB at most, ${endured.storeMb.toFixed(1)} MB in the end`],
  ];
  const lines = rows.map(([name, text]) => `${name.padEnd(11)} ${text}`);
  const grown = flat.map(({ what, from, to, perMinute, bound, unit, ...rest }) => {
    const numbers = [from, to, perMinute, bound].map((value) => value.toFixed(2).padStart(11)).join(' ');
    const mark = isGrowing({ what, from, to, perMinute, bound, unit, ...rest }) ? ' GROWS' : '';
    return `${`${what}${unit && ` (${unit})`}`.padEnd(40)}${numbers}${mark}`;
  });
  return [
    '',
    ...lines,
    '',
    `${'held'.padEnd(40)}${['from', 'to', 'a minute', 'bound'].map((word) => word.padStart(11)).join(' ')}`,
    ...grown,
    '',
    ...wrong.slice(0, MOST_WRONG).map((problem) => `WRONG: ${problem}`),
    wrong.length === 0 ? 'Nothing was lost, nothing came twice, nothing is left.' : `${wrong.length} wrong`,
  ].join('\n');
}
