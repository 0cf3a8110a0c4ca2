/** Prints a check that was just created. */

import { formatCommandLine } from '../../../src/cli/framework/format-command-line.ts';
import type { Invocation } from '../../../src/cli/framework/index.ts';
import { isRunnable } from '../../../src/contract/check-type-facts.ts';
import type { createBrowserCheck, ResponseOf } from '../../../src/contract/index.ts';
import { type Column, type OutputOptions, render, type Terminal } from '../../../src/terminal/index.ts';

type Browser = ResponseOf<typeof createBrowserCheck>;
/** The printed fields that the responses of all types have. */
export type CreatedCheck = Partial<Omit<Browser, 'name' | 'script' | 'frequency'>> &
  Pick<Browser, 'name'> & { readonly frequency?: number };

const SWITCHES: readonly Column<CreatedCheck>[] = [
  { key: 'activated', kind: 'boolean' },
  { key: 'muted', kind: 'boolean' },
];
const SCHEDULE: readonly Column<CreatedCheck>[] = [
  { key: 'frequency', header: 'interval (minutes)', kind: 'number' },
  ...SWITCHES,
  { key: 'locations', kind: 'list' },
  { key: 'privateLocations', kind: 'list' },
];

interface PrintOptions {
  /** `DNS`, `browser`. */
  readonly type: string;
  readonly output: OutputOptions;
  readonly invocation: Pick<Invocation, 'globals'>;
  /** Columns for the target and the runtime of this type. */
  readonly targetColumns?: readonly Column<CreatedCheck>[];
  readonly runtimeColumns?: readonly Column<CreatedCheck>[];
}

/** Prints a note on stderr, then the check. */
export async function printCreatedCheck(
  terminal: Terminal,
  check: CreatedCheck,
  { type, output, invocation, targetColumns = [], runtimeColumns = [] }: PrintOptions,
): Promise<void> {
  await terminal.note(`Created ${type} check ${check.name} (${check.id}).`);
  // Heartbeat checks have no schedule and no locations.
  const isRun = isRunnable({ type: check.checkType });
  const schedule = isRun ? SCHEDULE : SWITCHES;
  const columns: readonly Column<CreatedCheck>[] = [
    { key: 'id', kind: 'id' },
    { key: 'name' },
    ...targetColumns,
    ...schedule,
    ...runtimeColumns,
    { key: 'tags', kind: 'list' },
  ];
  await render(terminal, {
    kind: 'item',
    data: check,
    output,
    columns,
    card: async (shown) =>
      (await import('../../../src/cli/edit/lazy/item-card.ts')).itemCard(`${type} check`, columns, shown),
  });
  if (terminal.stderrIsTTY && check.id !== undefined && isRun) {
    await terminal.note(
      `To run the check and wait for its verdict, run:\n  ${formatCommandLine(invocation, 'checks', 'run', check.id)}`,
    );
  }
}
