/** What a run of URL checks needs: their contract and their runner, without those of other types. */
export { createUrlCheck as create } from '../../../../src/contract/index.ts';
export { run } from '../../../../src/runners/url.ts';
