/**
 * Gates in a storm: `npm run storm:gate [runs] [seed] [gates at once]`. Exits 1 where any of them had a wrong exit code or came
 * late.
 */
import { isStartHit } from '../../test/support/storm/judge.ts';
import type { RunReport } from '../../test/support/storm/run.ts';
import { described, storm } from '../../test/support/storm/storm.ts';

/** The latest that a gate may end after its deadline, and after a signal. */
const LATE_MS = 1000;
const STOP_MS = 1000;

export async function main([runs = '2000', given, atOnce = '28']: readonly string[]): Promise<number> {
  const seed = given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given);
  console.log(`${runs} runs, seed ${seed}`);
  const began = performance.now();
  const reports = await storm({
    runs: Number(runs),
    seed,
    atOnce: Number(atOnce),
    slow: true,
    restarts: Number(runs) >= 100 ? 5 : 0,
    onRun(report, done) {
      if (report.wrong) console.log(`\nWRONG: ${described(report)}\n`);
      if (done % 100 === 0) console.log(`${done} runs, ${seconds(performance.now() - began)}`);
    },
  });
  return tell(reports, performance.now() - began);
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

function counted(names: Iterable<string>): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }));
}

const most = (numbers: readonly (number | undefined)[]): number =>
  numbers.reduce<number>((greatest, number = 0) => Math.max(greatest, number), 0);

function tell(reports: readonly RunReport[], tookMs: number): number {
  const table = (title: string, rows: readonly (readonly [string, number])[]) =>
    console.log(
      `\n${title}\n${rows.map(([name, count]) => `  ${name.padEnd(40)}${String(count).padStart(6)}`).join('\n')}`,
    );
  table('Faults that were met, by run', counted(reports.flatMap(({ played }) => [...new Set(played)])));
  table(
    'Exit codes, by what the sessions and the weather were',
    counted(
      reports.map(({ plan, ran }) => {
        const truths = [...new Set(plan.subjects.map(({ truth }) => truth))].sort();
        const which = truths.length > 1 ? 'several' : truths.join();
        return `${plan.signal ? 'signal, ' : ''}${plan.weather}, ${which}${isStartHit(plan) ? ', start hit' : ''}: exit ${ran.code ?? 'by the signal'}`;
      }),
    ),
  );
  const wrong = reports.filter((report) => report.wrong !== undefined);
  const late = most(reports.map(({ lateMs }) => lateMs));
  const stop = most(reports.map(({ stopMs }) => stopMs));
  console.log(`
Runs                                      ${reports.length}
Requests                                  ${reports.reduce((sum, { requests }) => sum + requests, 0)}
Latest end after a deadline               ${Math.round(late)} ms (at most ${LATE_MS})
Longest from a signal to the end          ${Math.round(stop)} ms (at most ${STOP_MS})
Took                                      ${seconds(tookMs)}
Judged loosely, the machine being busy    ${reports.filter(({ isStrained }) => isStrained).length}
Wrong verdicts                            ${wrong.length}`);
  return wrong.length > 0 || late > LATE_MS || stop > STOP_MS ? 1 : 0;
}
