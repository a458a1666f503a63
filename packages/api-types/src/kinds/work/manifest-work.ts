import {
  bool,
  conditions,
  defineKind,
  int32,
  int64,
  listByKey,
  listOf,
  object,
  oneOf,
  optional,
  type Resource,
  rootOf,
  text,
} from '@flotilla/schema/define';
import type { Static } from 'typebox';
import { manifestWorks } from '../../resources.ts';
import { manifestWorkSpec } from './manifest-work-spec.ts';

const resourceMeta = object('Which manifest this is about.', {
  ordinal: int32('Index of the manifest in the workload.'),
  group: optional(text('API group of the object.')),
  version: optional(text('API version of the object.')),
  kind: optional(text('Kind of the object.')),
  resource: optional(text('Plural name of the resource.')),
  name: optional(text('Name of the object.')),
  namespace: optional(text('Namespace of the object.')),
});

const feedbackValue = object('A value read from the object.', {
  name: text('Name of the value.'),
  fieldValue: object('The value; the field that type names is set.', {
    type: oneOf('Type of the value.', ['Integer', 'String', 'Boolean', 'JsonRaw']),
    integer: optional(int64('The value, for type Integer.')),
    string: optional(text('The value, for type String.')),
    boolean: optional(bool('The value, for type Boolean.')),
    jsonRaw: optional(text('The value as JSON, for type JsonRaw.', { maxLength: 1024 })),
  }),
});

const manifestCondition = object('State of one manifest.', {
  resourceMeta,
  statusFeedback: optional(
    object('Values read from the object.', {
      values: optional(listByKey('Values by name.', ['name'], feedbackValue)),
    }),
  ),
  conditions: conditions('State of the manifest: applied, available and derived conditions.'),
});

const status = object('What the work agent observed.', {
  conditions: optional(conditions('State of the work as a whole.')),
  resourceStatus: optional(
    object('State of each manifest.', {
      manifests: optional(listOf('State of each manifest.', manifestCondition)),
    }),
  ),
});

const schema = rootOf('Objects to apply on the managed cluster whose namespace on the hub it is in.', {
  spec: optional(manifestWorkSpec('What to apply on the managed cluster, and how.')),
  status: optional(status),
});

/** What the work agent observed. */
export type ManifestWorkStatus = Static<typeof status>;
/** State of one manifest. */
export type ManifestCondition = Static<typeof manifestCondition>;
/** Which manifest this is about. */
export type ManifestResourceMeta = Static<typeof resourceMeta>;
/** A value read from the object. */
export type ManifestFeedbackValue = Static<typeof feedbackValue>;
/** Objects to apply on the managed cluster whose namespace on the hub it is in. */
export interface ManifestWork extends Resource<typeof schema> {}

/** How the kind is served, and its schema. */
export const manifestWorkKind = defineKind({ resource: manifestWorks, schema });
