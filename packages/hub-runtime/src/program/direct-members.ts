import type { ManagedCluster } from '@flotilla/api-types';
import { forwardingMember, type Member } from '@flotilla/cluster-proxy/hub';
import { type Clock, createInformers, type KubeClient, KubeError, type Logger } from '@flotilla/kube';
import { secrets } from '@flotilla/kube/kinds';
import { createForwarder } from '@flotilla/kube/transport';
import { isPushed, memberAccess, memberSecretKey, memberSecretName } from '@flotilla/registration-core/push';

/** What pushed clusters are reached with. */
export interface DirectMembersOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Pushed clusters, which have no agent: the hub reaches them by itself. */
export interface DirectMembers extends AsyncDisposable {
  /** Undefined for a cluster that is not pushed. Throws `Unavailable` for one to which the hub has no access. */
  find(cluster: ManagedCluster): Member | undefined;
}

interface OpenMember {
  readonly member: Member;
  close(): Promise<void>;
}

/** Follows the Secrets with the access to pushed clusters. A replaced token or CA is used without a restart. */
export function directMembers({ client, clock, log, env }: DirectMembersOptions): DirectMembers {
  const informers = createInformers({ client, clock, log });
  const cache = informers.resource(secrets, { fieldSelector: `metadata.name=${memberSecretName}` });
  const open = new Map<string, OpenMember>();
  const drop = (name: string) => {
    const dropped = open.get(name);
    open.delete(name);
    return dropped?.close();
  };
  const subscription = cache.changes.subscribe(({ key }) => {
    if (!cache.has(key)) void drop(key.split('/')[0] ?? '');
  });
  return {
    find(cluster) {
      const name = cluster.metadata?.name ?? '';
      if (!isPushed(cluster)) return undefined;
      if (!cache.has(memberSecretKey(name))) throw noAccess(name);
      const known = open.get(name);
      if (known) return known.member;
      const access = memberAccess({ secrets: cache, clusterName: name, clock });
      const forwarder = createForwarder({ access, clock, log, env, maxInFlight: 1000 });
      const close = async () => {
        await forwarder.close();
        access.close();
      };
      const member = forwardingMember(forwarder);
      open.set(name, { member, close });
      return member;
    },
    async [Symbol.asyncDispose]() {
      subscription.unsubscribe();
      await Promise.all([...open.keys()].map(drop));
      cache.close();
      informers.close();
    },
  };
}

const noAccess = (name: string): KubeError =>
  new KubeError(
    'Unavailable',
    `cluster ${name} cannot be reached: the hub has no Secret ${memberSecretKey(name)} with the access to it. Join it again: flotilla join ${name} --cluster-kubeconfig FILE.`,
  );
