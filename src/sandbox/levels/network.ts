/** Describes the network of cells: the machine's, or only a separate loopback. */
import type { Description } from '../types.ts';

type Network = Description['network'];

/** Returns the arguments of `unshare` for a network. */
export const networkArguments = (network: Network): readonly string[] =>
  network === 'none' ? ['--net'] : [];

const NONE =
  'it has no network: it reaches only its own loopback interface and connections that the service opens';
const MACHINE = 'it shares the network of the machine, including services on loopback';

export const describeNetwork = (
  { level, protects, lacks }: Omit<Description, 'network'>,
  network: Network,
): Description => ({
  level,
  network,
  protects: network === 'none' ? [...protects, NONE] : protects,
  lacks: network === 'none' ? lacks : [MACHINE, ...lacks],
});
