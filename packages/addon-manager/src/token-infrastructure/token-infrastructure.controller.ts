import { AddOnControllerName, Label, type ManagedClusterAddOn } from '@flotilla/api-types';
import {
  type Controller,
  defineController,
  done,
  findCondition,
  type Informers,
  isDeleting,
  joinKey,
  keyOf,
  on,
  splitKey,
} from '@flotilla/kube';
import { roleBindings, roles, serviceAccounts } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import type { AddonCaches } from '../caches.ts';
import { identityOf, when } from '../changes.ts';
import { writeStatus } from '../write-changes.ts';
import { ensure, removeOwn } from './ensure.ts';
import {
  addOnOfInfrastructure,
  isPushed,
  registersByToken,
  tokenInfrastructureOf,
} from './token-infrastructure.policy.ts';
import {
  failedCondition,
  readyCondition,
  tokenInfrastructureReady,
  tokenStatus,
} from './token-infrastructure.status.ts';

const conditionOf = ({ status }: ManagedClusterAddOn): unknown =>
  findCondition(status?.conditions, tokenInfrastructureReady);

const keyOfInfrastructure = (object: KubeObject): string | undefined => {
  const name = addOnOfInfrastructure(object);
  return name && joinKey(object.metadata?.namespace, name);
};

/** Keeps a service account on the hub for each add-on that registers by token, with the right to request its tokens. */
export function tokenInfrastructureController(
  { addOns, addOnsOf, clusters, clock }: AddonCaches,
  informers: Informers,
  hubNamespace?: string,
): Controller {
  const labelled = { labelSelector: `${Label.TokenInfrastructure}=true` };
  const accounts = informers.resource(serviceAccounts, labelled);
  const tokenRoles = informers.resource(roles, labelled);
  const bindings = informers.resource(roleBindings, labelled);

  const apply = async (addOn: ManagedClusterAddOn, cluster: string, name: string): Promise<void> => {
    const found = clusters.get(cluster);
    const wanted = tokenInfrastructureOf(cluster, name, {
      pushed: found !== undefined && isPushed(found),
      ...(hubNamespace !== undefined && { hubNamespace }),
    });
    try {
      const account = await ensure(accounts, serviceAccounts.kind, wanted.account);
      await ensure(tokenRoles, roles.kind, wanted.role);
      await ensure(bindings, roleBindings.kind, wanted.binding);
      const ready = readyCondition(keyOf(wanted.account), account.metadata?.uid ?? '');
      await writeStatus(addOns, addOn, (current) => tokenStatus(current, ready, clock.now()));
    } catch (error) {
      const failed = failedCondition(error);
      await writeStatus(addOns, addOn, (current) => tokenStatus(current, failed, clock.now()));
      throw error;
    }
  };

  const remove = async (cluster: string, name: string): Promise<void> => {
    const { account, role, binding } = tokenInfrastructureOf(cluster, name);
    await removeOwn(bindings, binding);
    await removeOwn(tokenRoles, role);
    await removeOwn(accounts, account);
  };

  return defineController({
    name: AddOnControllerName.TokenInfrastructure,
    isOptional: true,
    watches: [
      on(addOns, undefined, when(identityOf, registersByToken, conditionOf)),
      on(clusters, ({ metadata }) => addOnsOf(metadata?.name ?? '').map(keyOf), when(isPushed)),
      on(accounts, keyOfInfrastructure),
      on(tokenRoles, keyOfInfrastructure),
      on(bindings, keyOfInfrastructure),
    ],
    async reconcile(key) {
      const addOn = addOns.get(key);
      const { namespace: cluster = '', name } = splitKey(key);
      if (addOn && !isDeleting(addOn) && registersByToken(addOn)) {
        await apply(addOn, cluster, name);
        return done;
      }
      await remove(cluster, name);
      if (addOn) await writeStatus(addOns, addOn, (current) => tokenStatus(current, undefined, clock.now()));
      return done;
    },
  });
}
