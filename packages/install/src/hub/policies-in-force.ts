import { type ManifestWork, manifestWorks, NamespaceName } from '@flotilla/api-types';
import { type KubeClient, KubeError } from '@flotilla/kube';
import { type Observation, type Wait, waitFor } from '../wait.ts';

/** An API server observes new policies within about a second. */
const inForceWithinMs = 30_000;

/** Whether an API server can guard a hub by admission policies. */
export async function servesPolicies(client: Pick<KubeClient, 'dynamic'>): Promise<boolean> {
  try {
    await client.dynamic({ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicy' });
    return true;
  } catch (error) {
    if (KubeError.is(error, 'UnknownKind')) return false;
    throw error;
  }
}

/** A work that the last of the policies refuses for every caller: its executor has no name. */
const probe: ManifestWork = {
  metadata: { namespace: NamespaceName.Hub, name: 'flotilla-probe' },
  spec: { workload: { manifests: [] }, executor: { subject: { type: 'ServiceAccount' } } },
};

/**
 * Waits until the API server evaluates the policies: it takes a moment to observe them, in the order in which they were applied.
 * Nothing is written, since the probe is a dry run.
 */
export async function policiesInForce(
  client: KubeClient,
  wait: Pick<Wait, 'clock' | 'signal' | 'onPending'>,
): Promise<void> {
  const goal = 'the admission policies to be in force';
  const hint = 'Check the policies for errors: kubectl describe validatingadmissionpolicies. Repeating init is safe.';
  await waitFor({ ...wait, goal, hint, timeoutMs: inForceWithinMs }, () => observe(client));
}

async function observe(client: KubeClient): Promise<Observation<true>> {
  try {
    await client.resource(manifestWorks).create(probe, { dryRun: true });
    return { pending: 'a ManifestWork that they refuse is still admitted' };
  } catch (error) {
    if (error instanceof KubeError && error.apiStatus?.message?.includes('ValidatingAdmissionPolicy')) {
      return { found: true };
    }
    throw error;
  }
}
