/** Creates objects whose properties are created on first access: a transaction needs few of all repositories. */
import type { StoreContext } from './context.ts';

type Factories = Readonly<Record<string, (context: StoreContext) => unknown>>;
type Properties<Parts extends Factories> = { readonly [Name in keyof Parts]: ReturnType<Parts[Name]> };

const CONTEXT = Symbol('context');
interface Holder {
  readonly [CONTEXT]: StoreContext;
}

/** Returns a function that creates such an object for a context. The properties are inherited: spreading the object loses them. */
export function lazyProperties<Parts extends Factories>(
  factories: Parts,
): (context: StoreContext) => Properties<Parts> {
  const prototype = {};
  for (const [name, create] of Object.entries(factories)) {
    Object.defineProperty(prototype, name, {
      get(this: Holder) {
        const value = create(this[CONTEXT]);
        Object.defineProperty(this, name, { value });
        return value;
      },
    });
  }
  return (context) => Object.assign(Object.create(prototype) as Properties<Parts>, { [CONTEXT]: context });
}
