/** Objects of many parts, each made when it is first asked for: a transaction needs few of all repositories. */
import type { StoreContext } from './context.ts';

type Makers = Readonly<Record<string, (context: StoreContext) => unknown>>;
type Made<Parts extends Makers> = { readonly [Name in keyof Parts]: ReturnType<Parts[Name]> };

const CONTEXT = Symbol('context');
interface Holder {
  readonly [CONTEXT]: StoreContext;
}

/** What makes such an object over a context. Its parts are inherited: add to the object, do not spread it. */
export function lazily<Parts extends Makers>(makers: Parts): (context: StoreContext) => Made<Parts> {
  const parts = {};
  for (const [name, make] of Object.entries(makers)) {
    Object.defineProperty(parts, name, {
      get(this: Holder) {
        const value = make(this[CONTEXT]);
        Object.defineProperty(this, name, { value });
        return value;
      },
    });
  }
  return (context) => Object.assign(Object.create(parts) as Made<Parts>, { [CONTEXT]: context });
}
