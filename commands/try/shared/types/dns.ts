/** What a run of DNS checks needs: their contract and their runner, without those of other types. */
export { createDnsCheck as create } from '../../../../src/contract/index.ts';
export { run } from '../../../../src/runners/dns.ts';
