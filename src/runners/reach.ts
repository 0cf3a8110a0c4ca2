/** What a check may reach: the policy of a service whose checks are written by others than its operator. */
import { isPublicAddress } from '../base/public-address.ts';

/** Says why an address must not be contacted, or undefined where it may be. */
export type DenyAddress = (address: string) => string | undefined;

/** `--deny-private-networks`: public addresses alone; neither this machine nor a network that is nobody else's to see. */
export const denyPrivateNetworks: DenyAddress = (address) =>
  isPublicAddress(address)
    ? undefined
    : `${address} is no public address, and this service denies its checks all others`;
