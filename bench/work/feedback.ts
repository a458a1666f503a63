import type { Cluster } from '@flotilla/envtest';
import { pods } from '@flotilla/kube/kinds';
import { pod } from './manifests.ts';
import { timed, type Works } from './works.ts';

const count = 5;
const rounds = 3;

/** Milliseconds from a change of the status of objects on the managed cluster until the hub has the value. */
export async function measureFeedback(works: Works, managed: Cluster, clusterName: string): Promise<number[]> {
  const names = Array.from({ length: count }, (_, index) => `${clusterName}-feedback-${index}`);
  for (const name of names) {
    const rule = { type: 'JSONPaths' as const, jsonPaths: [{ name: 'message', path: '.status.message' }] };
    const resourceIdentifier = { group: '', resource: 'pods', namespace: 'default', name };
    await works.applied(await works.create(name, [pod(name)], [{ resourceIdentifier, feedbackRules: [rule] }]));
  }
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const message = `round ${round}`;
    const change = async (name: string): Promise<void> => {
      const reported = works.until(name, `at ${message}`, ({ status }) =>
        Boolean(
          status?.resourceStatus?.manifests?.[0]?.statusFeedback?.values?.some(
            ({ fieldValue }) => fieldValue.string === message,
          ),
        ),
      );
      await managed.client
        .resource(pods)
        .status.patch(`default/${name}`, { type: 'merge', body: { status: { message } } });
      await reported;
    };
    times.push(...(await Promise.all(names.map((name) => timed(() => change(name))))));
  }
  return times;
}
