/** A process that saves profiles: `writer HOME PREFIX COUNT`. It prints each name once it is saved. */
import { OutputError } from '../../../src/base/errors.ts';
import { Secret } from '../../../src/profiles/secret.ts';
import { saveProfile } from '../../../src/profiles/store.ts';

/** Repeats a write that asks for another try: a paused process loses its lock, and a slow machine makes others wait too long. */
async function untilWritten(save: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await save();
      return;
    } catch (error) {
      if (!(error instanceof OutputError)) throw error;
    }
  }
}

async function main(): Promise<void> {
  const [home = '', prefix = '', count = '0'] = process.argv.slice(2);
  for (let index = 0; index < Number(count); index++) {
    const name = `${prefix}-${index}`;
    const saved = {
      baseUrl: `https://${name}.example.com`,
      apiKey: new Secret(`key-of-${name}-${'x'.repeat(2000)}`),
    };
    await untilWritten(() => saveProfile({ env: {}, home, warn: () => undefined }, name, saved));
    process.stdout.write(`${name}\n`);
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error}\n`);
  process.exitCode = 1;
});
