/** What a run of ICMP checks needs: their contract and their runner, without those of other types. */
export { createIcmpCheck as create } from '../../../../src/contract/index.ts';
export { run } from '../../../../src/runners/icmp.ts';
