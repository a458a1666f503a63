import type { AddOnConfig, ClusterManagementAddOn, ManagedClusterAddOn } from '@flotilla/api-types';
import { describe, expect, it } from 'vitest';
import { chosenBy, chosenRecord, type PlacementOf } from './chosen-configs.ts';

const kind = { group: 'addon.open-cluster-management.io', resource: 'addondeploymentconfigs' };
const config = (name: string): AddOnConfig => ({ ...kind, namespace: 'ns', name });
const template = (name: string): AddOnConfig => ({ ...kind, resource: 'addontemplates', name });

const offerOf = (spec: ClusterManagementAddOn['spec']): ClusterManagementAddOn => ({ metadata: { name: 'a' }, spec });
const byPlacements = (...placements: [name: string, configs: AddOnConfig[]][]): ClusterManagementAddOn =>
  offerOf({
    defaultConfigs: [config('default'), template('default')],
    installStrategy: {
      type: 'Placements',
      placements: placements.map(([name, configs]) => ({ namespace: 'ns', name, configs })),
    },
  });
const only =
  (name: string): PlacementOf =>
  ({ spec }) =>
    spec?.installStrategy?.placements?.find((placement) => placement.name === name);

interface Given {
  readonly offer?: ClusterManagementAddOn;
  readonly own?: AddOnConfig[];
  readonly recorded?: AddOnConfig[];
  readonly deleting?: boolean;
  readonly placementOf?: PlacementOf;
}

/** Which of some configurations the hub chose. */
function chosen({ offer, own = [], recorded, deleting = false, placementOf }: Given): string[] {
  const annotations = recorded && { 'open-cluster-management.io/chosen-addon-configs': chosenRecord(recorded) };
  const addon: ManagedClusterAddOn = {
    metadata: {
      namespace: 'c1',
      name: 'a',
      ...(annotations && { annotations }),
      ...(deleting && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    },
    spec: { configs: own },
  };
  const isChosen = chosenBy(addon, offer, placementOf);
  const all = ['default', 'dev', 'prod', 'own', 'old', 'other'].map(config);
  return [...all, template('default')].filter(isChosen).map(({ resource, name }) => `${resource} ${name}`);
}

const manual = offerOf({ defaultConfigs: [config('default'), { ...template(''), name: '__reserved_no_default__' }] });
const twoPlacements = byPlacements(['dev', [config('dev')]], ['prod', [config('prod')]]);
const adc = (name: string) => `addondeploymentconfigs ${name}`;
const defaultTemplate = 'addontemplates default';

describe('the hub chose', () => {
  it.each<[string, Given, string[]]>([
    ['the default configurations', { offer: manual }, [adc('default')]],
    ['those of the cluster instead of a default of that kind', { offer: manual, own: [config('own')] }, [adc('own')]],
    [
      'those of any placement, where it is not known which selects the cluster',
      { offer: twoPlacements },
      [adc('dev'), adc('prod'), defaultTemplate],
    ],
    [
      'those of the placement that selects the cluster, and defaults of other kinds',
      { offer: twoPlacements, placementOf: only('dev') },
      [adc('dev'), defaultTemplate],
    ],
    [
      'what the cluster had before, while a rollout has not come to it',
      { offer: twoPlacements, placementOf: only('dev'), recorded: [config('old')] },
      [adc('dev'), adc('old'), defaultTemplate],
    ],
    ['what the cluster had, when nothing offers it any more', { recorded: [config('old')] }, [adc('old')]],
    ['nothing, when nothing offers it and there is no record', {}, []],
    [
      'what is recorded of an add-on that is being deleted, and nothing else',
      { recorded: [config('old')], deleting: true },
      [adc('old')],
    ],
    [
      'anything for the removal of an add-on from a hub that keeps no record, as OCM believes it',
      { deleting: true },
      [...['default', 'dev', 'prod', 'own', 'old', 'other'].map(adc), defaultTemplate],
    ],
    [
      'nothing for the removal of an add-on from a hub that keeps one',
      { deleting: true, placementOf: only('dev') },
      [],
    ],
  ])('%s', (_, given, expected) => {
    expect(chosen(given)).toEqual(expected);
  });

  it('nothing by a record that cannot be read', () => {
    const annotations = { 'open-cluster-management.io/chosen-addon-configs': '{' };
    const addon = { metadata: { namespace: 'c1', name: 'a', annotations }, spec: {} };
    expect(chosenBy(addon, manual)(config('other'))).toBe(false);
    expect(chosenBy(addon, manual)(config('default'))).toBe(true);
  });
});
