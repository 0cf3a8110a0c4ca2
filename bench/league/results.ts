/** Counts verdicts by kind and runner, and finds the targets at which sonde differs from all its peers. */
import { sonde } from './sonde.ts';
import type { Served, Verdicts } from './target.ts';

/** Why sonde is right where all its peers are wrong, by kind of target. */
const REASONS: Readonly<Record<string, string>> = {
  Charsets: 'The others read bytes of other charsets as UTF-8, or ignore the charset that the page declares.',
  'Content encodings':
    'The others decode at most one encoding, refuse names that mean none, or skip the check of the end of the data.',
  'Flaws that browsers read': 'sonde reads these answers as browsers do, and notes the flaw in the result.',
  'Answers that nothing can read': 'sonde refuses what browsers refuse.',
  'Bodies that are cut': 'sonde fails if an assertion depends on data that did not come.',
  'Bodies without an end': 'sonde stops reading once the assertions on the status and headers are decided.',
  Redirects: 'sonde follows redirects as browsers do.',
  'Cookies over redirects': 'sonde keeps a cookie jar for each run, and sends values as they were set.',
  'Secrets over redirects': 'sonde sends a secret header only to the origin that it is for.',
  'Headers on several lines': 'sonde compares the joined value of all lines, as RFC 9110 defines it.',
  'JSON members': 'sonde compares large integers exactly.',
  'Certificates over HTTPS': 'sonde ignores the Common Name, and checks the whole path.',
  'Certificates by name': 'sonde compares names as browsers do.',
  'DNS records': 'sonde joins the strings of a text record, and compares names without case.',
  'DNS answers':
    'sonde fails without a record of the queried type at the end of the aliases, asks again over TCP after a truncated answer, and repeats a lost query.',
  TCP: 'sonde waits until an assertion is decided. It needs no line end, and no limit cuts the data in silence.',
};

type Outcome = 'right' | 'falseGreen' | 'falseAlarm' | 'notExpressible';

export function summarize(served: readonly Served[], verdicts: ReadonlyMap<string, Verdicts>) {
  const runners = [...verdicts.keys()];
  const outcomeOf = ({ id, target }: Served, runner: string): Outcome => {
    const isPassed = verdicts.get(runner)?.get(id);
    if (isPassed === undefined) return 'notExpressible';
    if (isPassed === target.isGood) return 'right';
    return isPassed ? 'falseGreen' : 'falseAlarm';
  };
  const titles = (some: readonly Served[]) => some.map(({ target }) => `${target.kind}: ${target.name}`);
  const ofSonde = (outcome: Outcome) =>
    titles(served.filter((each) => outcomeOf(each, sonde.name) === outcome));
  const kinds = [...byKind(served)].map(([kind, some]) => ({
    ...{ kind, targets: some.length },
    runners: runners.map((runner) => {
      const outcomes = some.map((each) => outcomeOf(each, runner));
      const count = (outcome: Outcome) => outcomes.filter((each) => each === outcome).length;
      return {
        right: count('right'),
        falseGreens: count('falseGreen'),
        falseAlarms: count('falseAlarm'),
        notExpressible: count('notExpressible'),
      };
    }),
  }));
  const differing = served.filter((each) => {
    const peers = runners
      .filter((runner) => runner !== sonde.name)
      .map((runner) => verdicts.get(runner)?.get(each.id));
    const told = peers.filter((verdict) => verdict !== undefined);
    return told.length > 0 && !told.includes(verdicts.get(sonde.name)?.get(each.id) ?? false);
  });
  const differences = [...byKind(differing)].map(([kind, some]) => ({
    ...{ kind, why: REASONS[kind] },
    targets: some.map(({ target }) => target.name),
  }));
  return {
    results: { runners, kinds, differences },
    falseGreens: ofSonde('falseGreen'),
    falseAlarms: ofSonde('falseAlarm'),
    unexplained: titles(differing.filter(({ target }) => REASONS[target.kind] === undefined)),
  };
}

function byKind(served: readonly Served[]): ReadonlyMap<string, readonly Served[]> {
  const kinds = new Map<string, Served[]>();
  for (const each of served) kinds.set(each.target.kind, [...(kinds.get(each.target.kind) ?? []), each]);
  return kinds;
}
