/** What every question of a dialogue has at hand. */

import type { Shape } from '../framework/command-spec.ts';
import type { Command, Deps } from '../framework/types.ts';
import type { Draft } from './draft.ts';

export interface Scene {
  readonly command: Command;
  readonly shape: Shape;
  readonly deps: Deps;
  readonly draft: Draft;
}
