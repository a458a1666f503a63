import { dnsLabelPattern } from '@flotilla/schema';
import {
  ageColumn,
  conditionColumn,
  defineKind,
  labelSelector,
  listByKey,
  object,
  oneOf,
  optional,
  plainConditions,
  type Resource,
  rootOf,
  text,
} from '@flotilla/schema/define';
import type { Static } from 'typebox';
import { managedClusterSets } from '../../resources.ts';

const EXCLUSIVE = 'ExclusiveClusterSetLabel';

const clusterSelector = object(
  'Which clusters are members.',
  {
    selectorType: oneOf(
      'ExclusiveClusterSetLabel takes clusters labelled with the name of this set; LabelSelector uses labelSelector.',
      [EXCLUSIVE, 'LabelSelector'],
      { default: EXCLUSIVE },
    ),
    labelSelector: optional(labelSelector('Labels of the members, for selectorType LabelSelector.')),
  },
  { default: { selectorType: EXCLUSIVE } },
);

const spec = object(
  'Which clusters are members, and what they share.',
  {
    clusterSelector: optional(clusterSelector),
    managedNamespaces: optional(
      listByKey(
        'Namespaces that exist on every member.',
        ['name'],
        object('A namespace on every member.', {
          name: text('Name of the namespace.', { maxLength: 63, pattern: dnsLabelPattern }),
        }),
      ),
    ),
  },
  { default: { clusterSelector: { selectorType: EXCLUSIVE } } },
);

const status = object('What the hub observed.', {
  conditions: optional(plainConditions('State of the set, such as whether it is empty.')),
});

const schema = rootOf('A group of clusters that a namespace can be allowed to use.', {
  spec: optional(spec),
  status: optional(status),
});

/** Which clusters are members, and what they share. */
export type ManagedClusterSetSpec = Static<typeof spec>;
/** What the hub observed. */
export type ManagedClusterSetStatus = Static<typeof status>;
/** A group of clusters that a namespace can be allowed to use. */
export interface ManagedClusterSet extends Resource<typeof schema> {}

/** How the kind is served, and its schema. */
export const managedClusterSetKind = defineKind({
  resource: managedClusterSets,
  schema,
  shortNames: ['mclset', 'mclsets'],
  printerColumns: [conditionColumn('Empty', 'ClusterSetEmpty'), ageColumn],
});
