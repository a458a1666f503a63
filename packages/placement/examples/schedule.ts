import { PlacementEngine } from '@flotilla/placement';

const changed = new Set<string>();
const engine = new PlacementEngine({ now: Date.now(), onDirty: (key) => changed.add(key) });
const selectsAll = { selectorType: 'LabelSelector', labelSelector: {} } as const;
engine.setSet({ metadata: { name: 'global' }, spec: { clusterSelector: selectsAll } });
engine.setBinding('team', 'global');
engine.setCluster({ metadata: { name: 'c1', labels: { env: 'prod' } } });
engine.setPlacement({ metadata: { namespace: 'team', name: 'web' }, spec: { numberOfClusters: 1 } });

export const selected = engine.schedule('team/web')?.selected; // ['c1']
