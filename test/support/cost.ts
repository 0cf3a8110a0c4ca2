/** Processor time of a computation: for tests that compare two costs, so that the machine's speed cancels out. */

/** Returns the processor time that `times` calls of `work` take, in µs. */
export function costOf(work: () => void, times = 1): number {
  const from = process.cpuUsage();
  for (let time = 0; time < times; time += 1) work();
  const { user, system } = process.cpuUsage(from);
  return user + system;
}
