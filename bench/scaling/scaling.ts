/**
 * How the service scales on one Postgres: `npm run bench:scaling [steady|burst…]`, both where none is named. Measures 1, 2 and 4
 * services: throughput, the processor of the services and of Postgres, statements and bytes of WAL for each check. Exits 1 where
 * four services need more than 1.3 times the processor of one. Two minutes; nothing else should be busy on the machine.
 */
import { measureParts, type Parts } from '../parts.ts';
import { measureBurst, measureSteady } from './measures.ts';
import { openWorld, type ScalingWorld } from './world.ts';

const PARTS: Parts<ScalingWorld> = { steady: measureSteady, burst: measureBurst };

export const main = (given: readonly string[]): Promise<number> => measureParts(PARTS, given, openWorld);
