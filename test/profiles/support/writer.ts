/** A process that saves profiles: `writer HOME PREFIX COUNT`. It prints each name once it is saved. */
import { Secret } from '../../../src/profiles/secret.ts';
import { saveProfile } from '../../../src/profiles/store.ts';

async function main(): Promise<void> {
  const [home = '', prefix = '', count = '0'] = process.argv.slice(2);
  for (let index = 0; index < Number(count); index++) {
    const name = `${prefix}-${index}`;
    await saveProfile({ env: {}, home, warn: () => undefined }, name, {
      baseUrl: `https://${name}.example.com`,
      apiKey: new Secret(`key-of-${name}-${'x'.repeat(2000)}`),
    });
    process.stdout.write(`${name}\n`);
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error}\n`);
  process.exitCode = 1;
});
