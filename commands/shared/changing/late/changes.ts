/** What shows a change and keeps what stood before it. Loaded only by commands that replace something. */
export { toYaml } from '../../../../src/terminal/late/yaml.ts';
export { conceal } from './conceal.ts';
export { differenceOf } from './difference.ts';
export { drawDifference } from './draw-difference.ts';
