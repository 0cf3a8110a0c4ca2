/** Creates objects whose properties are created on first access: a transaction needs few of all repositories. */
import type { StoreContext } from './context.ts';

type Makers = Readonly<Record<string, (context: StoreContext) => unknown>>;
type Made<Parts extends Makers> = { readonly [Name in keyof Parts]: ReturnType<Parts[Name]> };

const CONTEXT = Symbol('context');
interface Holder {
  readonly [CONTEXT]: StoreContext;
}

/** Returns a function that creates such an object for a context. The properties are inherited: spreading the object loses them. */
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
