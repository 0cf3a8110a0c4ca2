/** Scripts that end the processes that run them: a failure of the check, never an error of the monitor. */
import { expect, it } from 'vitest';
import { useShop } from './support.ts';

const shop = useShop({ isBare: true });

it.each([
  ['its supervisor', 'process.ppid', 'SIGKILL', 'the program that runs the script was killed by SIGKILL'],
  ['its supervisor', 'process.ppid', 'SIGTERM', 'the program that runs the script was killed by SIGTERM'],
  ['its own process', 'process.pid', 'SIGKILL', 'the process of the script was killed by SIGKILL'],
])('a script that ends %s (%s, %s) fails', async (_, pid, signal, error) => {
  const script = `process.kill(${pid}, '${signal}'); setTimeout(() => {}, 20_000);`;
  for (const shouldFail of [false, true]) {
    const attempt = await shop.checks.run({ script, shouldFail });
    expect(attempt).toMatchObject({ hasFailures: true, hasErrors: false, errors: [error] });
  }
});

it('a script that loops in a listener of its exit fails long before its time limit', async () => {
  const script = "process.on('exit', () => { for (;;); });";
  const attempt = await shop.checks.run({ script, shouldFail: true });
  expect(attempt).toMatchObject({
    hasFailures: true,
    errors: ['the listeners of "exit" of the script did not end within 5 s'],
  });
});
