/** A connection to a service on which one request meets a fault. */
import { Agent, type Dispatcher } from 'undici';

export const FAULTS = ['cut before', 'cut after', '429', '500 before', '500 after', '500 page'] as const;
export const KILLS = ['kill before', 'kill after'] as const;
/** `before`, `after`: whether the service gets the request. After a kill, nothing is sent or received. */
export type FaultKind = (typeof FAULTS)[number] | (typeof KILLS)[number];

export interface Fault {
  readonly kind: FaultKind;
  /** The number of the request, from 0. */
  readonly at: number;
}

export interface FaultyConnection {
  readonly dispatcher: Dispatcher;
  /** Resolves when the process would be dead, and the service has answered what it got. */
  readonly killed: Promise<void>;
}

type Handler = Dispatcher.DispatchHandler;

const CONTROLLER: Dispatcher.DispatchController = {
  aborted: false,
  paused: false,
  reason: null,
  abort() {},
  pause() {},
  resume() {},
};

/** Opens connections that are kept between runs. */
export const openConnections = (): Agent => new Agent({ pipelining: 1, connections: 8 });

/** Returns the connections with a fault. `batchLimit`: what the service says that a batch may contain; undefined: the truth. */
export function withFault(
  agent: Agent,
  fault: Fault | undefined,
  batchLimit: string | undefined,
): FaultyConnection {
  let count = 0;
  let isDead = false;
  let inFlight = 0;
  let reportKilled = () => {};
  const killed = new Promise<void>((resolve) => {
    reportKilled = resolve;
  });
  const settle = () => {
    if (isDead && inFlight === 0) reportKilled();
  };
  /** Sends a request to its end. `pass`: whether the sender is alive to see the answer. */
  const forward = (
    options: Dispatcher.DispatchOptions,
    handler: Handler,
    isLost: () => boolean,
    then = () => {},
  ) => {
    inFlight++;
    const end = (pass: () => void) => {
      inFlight--;
      if (!isLost() && !isDead) pass();
      then();
      settle();
    };
    return agent.dispatch(options, {
      onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
      onResponseStart: (controller, status, headers, text) => {
        const said = batchLimit !== undefined && 'x-batch-limit' in headers;
        const shown = said ? { ...headers, 'x-batch-limit': batchLimit } : headers;
        if (!isLost() && !isDead) handler.onResponseStart?.(controller, status, shown, text);
      },
      onResponseData: (...args) => {
        if (!isLost() && !isDead) handler.onResponseData?.(...args);
      },
      onResponseEnd: (...args) => end(() => handler.onResponseEnd?.(...args)),
      onResponseError: (...args) => end(() => handler.onResponseError?.(...args)),
    });
  };
  const cut = (handler: Handler) =>
    handler.onResponseError?.(
      CONTROLLER,
      Object.assign(new Error('other side closed'), { code: 'ECONNRESET' }),
    );
  const answer = (handler: Handler, status: number, body: string, type = 'application/json') => {
    handler.onResponseStart?.(CONTROLLER, status, { 'content-type': type }, '');
    handler.onResponseData?.(CONTROLLER, Buffer.from(body));
    handler.onResponseEnd?.(CONTROLLER, {});
  };
  const refusal = (statusCode: number) => JSON.stringify({ statusCode, error: 'Fault', message: 'a fault' });

  const play = (kind: FaultKind, options: Dispatcher.DispatchOptions, handler: Handler): boolean => {
    const start = () => handler.onRequestStart?.(CONTROLLER, {});
    const lost = (then: () => void) => forward(options, handler, () => true, then);
    switch (kind) {
      case 'cut before':
        start();
        cut(handler);
        return true;
      case 'cut after':
        return lost(() => cut(handler));
      case '429':
        start();
        answer(handler, 429, refusal(429));
        return true;
      case '500 before':
        start();
        answer(handler, 500, refusal(500));
        return true;
      case '500 after':
        return lost(() => answer(handler, 500, refusal(500)));
      case '500 page':
        return lost(() => answer(handler, 500, '<html>Oh no</html>', 'text/html'));
      case 'kill before':
        isDead = true;
        settle();
        return true;
      case 'kill after':
        isDead = true;
        return lost(() => {});
      default:
        return kind satisfies never;
    }
  };
  const dispatch = (options: Dispatcher.DispatchOptions, handler: Handler): boolean => {
    if (isDead) return true;
    const number = count++;
    return fault?.at === number ? play(fault.kind, options, handler) : forward(options, handler, () => false);
  };
  // The client uses no other part of a dispatcher.
  const dispatcher = { dispatch, destroy: async () => {} } as unknown as Dispatcher;
  return { dispatcher, killed };
}
