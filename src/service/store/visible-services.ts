/** Returns which services the readers of a status page see. Hidden ones remain available to incidents and checks. */
import type { ServiceRecord, StatusPageRecord } from './documents.ts';

/** Returns the IDs of hidden services. */
export const hiddenServices = (services: readonly ServiceRecord[]): ReadonlySet<string> =>
  new Set(services.filter(({ body }) => body.hidden === true).map(({ id }) => id));

/** Returns the cards that a page shows, without hidden services. A card that has only hidden services is omitted. */
export const visibleCards = ({ body }: StatusPageRecord, hidden: ReadonlySet<string>) =>
  body.cards.flatMap((card) => {
    const services = card.services.filter(({ id }) => !hidden.has(id));
    const isOmitted = card.hidden === true || (services.length === 0 && card.services.length > 0);
    return isOmitted ? [] : { ...card, services };
  });

/** Returns the IDs of the services that a page shows, in the order of its cards. */
export const visibleServiceIds = (page: StatusPageRecord, hidden: ReadonlySet<string>): readonly string[] => [
  ...new Set(visibleCards(page, hidden).flatMap(({ services }) => services.map(({ id }) => id))),
];
