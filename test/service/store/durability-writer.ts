/** Writes pairs of rows until the process is killed, and prints each pair after its commit. */
import { writeSync } from 'node:fs';
import { systemClock } from '../../../src/base/clock.ts';
import { systemRandom } from '../../../src/base/random.ts';
import { openStore } from '../../../src/service/store/index.ts';

const WRITERS = 4;

async function main(path: string): Promise<void> {
  writeSync(1, 'opening\n');
  const store = await openStore({ path }, { clock: systemClock, random: systemRandom });
  const account = (await store.accounts.list())[0] ?? (await store.accounts.create('writer'));
  async function write(): Promise<never> {
    for (;;) {
      const key = `K${systemRandom.uuid().replaceAll('-', '')}`;
      await store.transaction(async (tx) => {
        await tx.variables.create(account.id, { key, value: 'v'.repeat(2_000) });
        await tx.snippets.create(account.id, { name: key, script: 's'.repeat(2_000) });
      });
      writeSync(1, `${key}\n`);
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, write));
}

main(process.argv[2] ?? '').catch((error: unknown) => {
  writeSync(2, `${error}\n`);
  process.exitCode = 1;
});
