/** What is remembered of an account's windows: their last version alone, for each version holds all of them. */
import { expect, it } from 'vitest';
import { loadWindows, type WindowsReader } from '../../../src/service/maintenance/windows.ts';

it('reads each version once, and keeps none but the last', async () => {
  let version = 'one';
  const reads: string[] = [];
  const reader: WindowsReader = {
    maintenanceWindows: {
      version: async () => version,
      past: async () => [],
      listWithState: async () => {
        reads.push(version);
        return [];
      },
    },
  };
  const read = () => loadWindows(reader, 'an account');
  const first = await read();
  expect(await read()).toBe(first);
  version = 'two';
  expect(await read()).not.toBe(first);
  await loadWindows(
    { maintenanceWindows: { ...reader.maintenanceWindows, version: async () => 'other' } },
    'another',
  );
  await read();
  expect(reads).toEqual(['one', 'two', 'two']);
  version = 'one';
  expect(await read()).not.toBe(first);
});
