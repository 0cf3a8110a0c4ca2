/** What shows a change and keeps what stood before it. Loaded only by commands that replace something. */
export { toYaml } from '../../../terminal/lazy/yaml.ts';
export { differenceOf } from './diff.ts';
export { conceal } from './mask-secrets.ts';
export { drawDifference } from './render-diff.ts';
