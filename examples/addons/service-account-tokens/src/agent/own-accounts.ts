import { type KubeClient, KubeError } from '@flotilla/kube';
import { type ServiceAccount, serviceAccounts } from '@flotilla/kube/kinds';
import type { ProjectedServiceAccount } from '../projected-service-account.ts';
import { accountOf, isAccountOf } from './token.policy.ts';

/** The service accounts that the agent makes on the managed cluster, beside those of others in the same namespace. */
export function ownAccounts(managed: KubeClient, namespace: string) {
  const accounts = managed.resource(serviceAccounts);
  const keyOf = ({ metadata }: ProjectedServiceAccount): string => `${namespace}/${metadata?.name}`;
  return {
    keyOf,

    /** Makes it if it is not there; undefined if another has the name. */
    async ensure(wanted: ProjectedServiceAccount): Promise<ServiceAccount | undefined> {
      const account = await accounts.find(keyOf(wanted));
      if (!account) return accounts.create(accountOf(wanted, namespace));
      return isAccountOf(account, wanted) ? account : undefined;
    },

    async remove(wanted: ProjectedServiceAccount): Promise<void> {
      const account = await accounts.find(keyOf(wanted));
      if (!account || !isAccountOf(account, wanted)) return;
      const options = { preconditions: { uid: account.metadata?.uid } };
      await accounts.delete(keyOf(wanted), options).catch((error: unknown) => {
        if (!KubeError.is(error, 'NotFound')) throw error;
      });
    },
  };
}
