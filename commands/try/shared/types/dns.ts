/** Exports the contract and the runner of DNS checks, without those of other types. */
export { createDnsCheck as create } from '../../../../src/contract/index.ts';
export { run } from '../../../../src/runners/dns/runner.ts';
