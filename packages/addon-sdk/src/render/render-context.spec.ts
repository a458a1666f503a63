import { Annotation, type ManagedCluster } from '@flotilla/api-types';
import { describe, expect, it } from 'vitest';
import type { AddonDefinition } from '../definition/addon-definition.ts';
import { addonContext } from './addon-context.ts';
import { renderContext } from './render-context.ts';

const withMirror = (name: string, mirror: string): ManagedCluster => ({
  metadata: {
    name,
    annotations: { [Annotation.ImageRegistries]: JSON.stringify({ registries: [{ source: 'quay.io/a', mirror }] }) },
  },
});
const definition = { name: 'hello', hosted: {}, render: () => [] } as unknown as AddonDefinition;

/** The context of an add-on on cluster1, which is hosted on cluster2 if that is given. */
const contextOf = (host?: ManagedCluster) => {
  const annotations = host && { [Annotation.HostingClusterName]: 'cluster2' };
  const addon = { metadata: { name: 'hello', namespace: 'cluster1', ...(annotations && { annotations }) }, spec: {} };
  const cluster = withMirror('cluster1', 'managed.example/a');
  const source = {
    find: () => undefined,
    isChosen: () => true,
    cluster: (name: string) => (name === host?.metadata?.name ? host : undefined),
  };
  const { context } = addonContext(definition, { addon, cluster }, source, new AbortController().signal);
  return renderContext(definition, context, 'ns');
};

describe('the mirror of an image', () => {
  it('is that of the cluster of the agent', () => {
    expect(contextOf().image('quay.io/a/agent:1')).toBe('managed.example/a/agent:1');
  });

  it('is that of the hosting cluster in hosted mode: the managed one does not choose what runs there', () => {
    expect(contextOf(withMirror('cluster2', 'host.example/a')).image('quay.io/a/agent:1')).toBe(
      'host.example/a/agent:1',
    );
    const without = { metadata: { name: 'cluster2' } };
    expect(contextOf(without).image('quay.io/a/agent:1')).toBe('quay.io/a/agent:1');
    // A hosting cluster that the hub does not know.
    expect(contextOf({ metadata: { name: 'cluster3' } }).image('quay.io/a/agent:1')).toBe('quay.io/a/agent:1');
  });

  it('is that of the managed cluster for its manifests in hosted mode', () => {
    const context = contextOf(withMirror('cluster2', 'host.example/a'));
    expect(context.image('quay.io/a/agent:1', { at: 'managed' })).toBe('managed.example/a/agent:1');
  });
});
