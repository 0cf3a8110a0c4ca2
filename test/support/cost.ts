/** Processor time of a computation: for tests that compare two costs, so that the machine's speed cancels out. */

const ROUNDS = 5;

/**
 * Returns the processor time that `times` calls of `work` take, in µs: the least of some rounds, as the first is slow until the code is
 * compiled, and any can be interrupted.
 */
export function costOf(work: () => void, times = 1): number {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const from = process.cpuUsage();
    for (let time = 0; time < times; time += 1) work();
    const { user, system } = process.cpuUsage(from);
    return user + system;
  });
  return Math.min(...rounds);
}
