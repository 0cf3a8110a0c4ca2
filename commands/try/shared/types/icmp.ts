/** Exports the contract and the runner of ICMP checks, without those of other types. */
export { createIcmpCheck as create } from '../../../../src/contract/index.ts';
export { run } from '../../../../src/runners/icmp/runner.ts';
