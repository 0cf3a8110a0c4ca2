/** Selects the output of rows that arrive over time. */
import { UsageError } from '../../base/errors.ts';
import type { OutputOptions } from '../../terminal/index.ts';

/**
 * Returns options with which each row is printed when it arrives: JSON becomes JSON Lines, and the default is
 * tab-separated. Throws UsageError for formats that need all rows. `flag`: the flag that makes rows arrive over time.
 */
export function streamOutput(output: OutputOptions, flag: string): OutputOptions {
  const { format = 'tsv' } = output;
  if (format === 'yaml' || format === 'table')
    throw new UsageError(`${flag} cannot be combined with -o ${format} here`, {
      hint: 'pass -o tsv or -o jsonl',
    });
  return { ...output, format: format === 'json' ? 'jsonl' : format };
}
