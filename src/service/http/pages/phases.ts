/** Reads the phases of an HTTP request from the details of a result, which agents report. */
import type { JsonObject } from '../../../base/object.ts';
import { PHASES, type Phases } from './charts/phase-chart.ts';
import { asNumber, asObject } from './run-components.ts';

const HTTP_TYPES = ['API', 'URL'];

/** Returns the phases of a result in ms; undefined for other types of checks, and if nothing was measured. */
export function phasesOf(checkType: string, { timing }: JsonObject): Phases | undefined {
  if (!HTTP_TYPES.includes(checkType)) return undefined;
  const measured = asObject(timing);
  const phases = PHASES.flatMap(({ key }) => {
    const value = asNumber(measured[key]);
    return value === undefined ? [] : [[key, value] as const];
  });
  return phases.length === 0 ? undefined : Object.fromEntries(phases);
}
