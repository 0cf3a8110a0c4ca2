/** What a run of TCP checks needs: their contract and their runner, without those of other types. */
export { createTcpCheck as create } from '../../../../src/contract/index.ts';
export { run } from '../../../../src/runners/tcp.ts';
