import { type KubeClient, KubeError, type Logger } from '@flotilla/kube';
import { namespaces } from '@flotilla/kube/kinds';

/** The uid of kube-system, which is as old as the cluster. Undefined if the agent cannot read it. */
export async function readClusterUid(spoke: KubeClient, log: Logger): Promise<string | undefined> {
  try {
    return (await spoke.resource(namespaces).get('kube-system')).metadata?.uid;
  } catch (error) {
    if (!KubeError.is(error, 'Forbidden', 'NotFound')) throw error;
    log.warn('the identity of the cluster cannot be read, so the hub cannot distinguish it from another', { error });
    return undefined;
  }
}
