/** Follows an answer from the queried name to its records, and explains why it leads to none. */
import type { AnswerRecord } from './message.ts';
import type { Question } from './query.ts';

/** The part of an answer at the end of the aliases of the queried name. */
export interface Resolution {
  /** The names from the queried one to the owner of the records, or to the name at which the answer ends. */
  readonly chain: readonly string[];
  /** Why the answer has no record for the question, as a sentence without a full stop; undefined if it has one. */
  readonly fault: string | undefined;
}

/** A DNAME below itself would lengthen the name for ever. */
const MAX_ALIASES = 50;

/** Follows CNAME and DNAME records, except from a name that has a record of the queried type. */
export function resolveAliases(question: Question, records: readonly AnswerRecord[]): Resolution {
  const queried = question.name === '' ? '.' : `${question.name.toLowerCase()}.`;
  const reachable = records.filter((record) => record.class === 'IN');
  const chain = [queried];
  for (let name = queried; ; ) {
    if (reachable.some((record) => record.name === name && record.type === question.type)) {
      return { chain, fault: undefined };
    }
    const alias = findAlias(name, reachable);
    if (alias === undefined) return { chain, fault: explainMissing(question, chain, records) };
    const isLoop = chain.includes(alias);
    chain.push(alias);
    if (chain.length > MAX_ALIASES)
      return { chain, fault: `the answer has more than ${MAX_ALIASES} aliases in a row` };
    if (isLoop) return { chain, fault: `the aliases (CNAME) form a loop: ${chain.join(' → ')}` };
    name = alias;
  }
}

/** Returns the name that a name is an alias of. Servers that know DNAME may leave out the CNAME that it implies. */
function findAlias(name: string, records: readonly AnswerRecord[]): string | undefined {
  const [alias] = records.find((record) => record.type === 'CNAME' && record.name === name)?.names ?? [];
  if (alias !== undefined) return alias;
  const above = records.find((record) => record.type === 'DNAME' && name.endsWith(`.${record.name}`));
  return above && `${name.slice(0, -above.name.length)}${above.names[0]}`;
}

const MAX_OWNERS = 3;

function explainMissing(
  { type }: Question,
  chain: readonly string[],
  records: readonly AnswerRecord[],
): string {
  const last = chain.at(-1) ?? '';
  const owners = [...new Set(records.filter((record) => record.type === type).map(({ name }) => name))];
  const alias = chain.length > 1 ? `${chain.join(' → ')} (CNAME), but ` : '';
  if (owners.length === 0) return `${alias}the answer has no ${type} record${alias && ` of ${last}`}`;
  const isOtherClass = owners.includes(last);
  const others = [...owners.slice(0, MAX_OWNERS), ...(owners.length > MAX_OWNERS ? ['…'] : [])].join(', ');
  return isOtherClass
    ? `${alias}the ${type} records of ${last} are not of the class IN`
    : `${alias}the ${type} records of the answer belong to ${others}, not to ${last}`;
}
