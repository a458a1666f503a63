import { deployments, namespaces, pods } from '@flotilla/kube/kinds';
import { describe, expect, it } from 'vitest';
import { newWork, withNamespaces } from './new-work.ts';

const manifest = (apiVersion: string, kind: string, metadata: object = {}) => ({
  apiVersion,
  kind,
  metadata: { name: 'a', ...metadata },
});

describe('a new work', () => {
  it('asks for the state of the kinds that agents know, and of no others', () => {
    const manifests = [
      manifest('apps/v1', 'Deployment', { namespace: 'x' }),
      manifest('v1', 'ConfigMap'),
      manifest('example.com/v1', 'Deployment'),
      manifest('v1', 'Pod', { namespace: 'y' }),
    ];
    const feedbackRules = [{ type: 'WellKnownStatus' }];
    expect(newWork('w', 'cluster1', manifests, true).spec?.manifestConfigs).toEqual([
      { resourceIdentifier: { group: 'apps', resource: 'deployments', namespace: 'x', name: 'a' }, feedbackRules },
      { resourceIdentifier: { group: '', resource: 'pods', namespace: 'y', name: 'a' }, feedbackRules },
    ]);
    expect(newWork('w', 'cluster1', manifests, false).spec).toEqual({ workload: { manifests } });
  });

  it('puts the namespace default where kubectl would', () => {
    const common = { verbs: [], shortNames: [], categories: [], subresources: [], singular: '' };
    const kinds = [deployments, namespaces, pods].map((type) => ({ ...common, ...type }));
    const named = (object: ReturnType<typeof manifest>) => withNamespaces([object], kinds)[0]?.metadata?.namespace;
    expect(named(manifest('apps/v1', 'Deployment'))).toBe('default');
    expect(named(manifest('apps/v1', 'Deployment', { namespace: 'x' }))).toBe('x');
    expect(named(manifest('v1', 'Namespace'))).toBeUndefined();
    expect(named(manifest('example.com/v1', 'Widget'))).toBeUndefined();
  });
});
