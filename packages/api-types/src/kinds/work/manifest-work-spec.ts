import { nameSyntax } from '@flotilla/schema';
import {
  bool,
  embeddedResource,
  int64,
  listByKey,
  listOf,
  object,
  oneOf,
  optional,
  text,
} from '@flotilla/schema/define';
import type { Static } from 'typebox';

// The spec of a ManifestWork, which ManifestWorkReplicaSet and AddOnTemplate embed.

const resourceIdentifier = (description: string, names: string) =>
  object(description, {
    group: optional(text('API group of the resource; empty for the core group.')),
    resource: text('Plural name of the resource, such as deployments.'),
    namespace: optional(text(`Namespace of the object; empty if it is cluster-scoped. ${names}`)),
    name: text(`Name of the object. ${names}`),
  });

const DNS_SUBDOMAIN = `^(${nameSyntax.dnsSubdomain})$`;

const executor = object('Who applies the manifests; the work agent itself when unset.', {
  subject: optional(
    object('The identity that the agent impersonates.', {
      type: oneOf('Kind of the identity.', ['ServiceAccount']),
      serviceAccount: optional(
        object('A service account on the managed cluster.', {
          namespace: text('Namespace of the service account.', {
            minLength: 1,
            maxLength: 253,
            pattern: DNS_SUBDOMAIN,
          }),
          name: text('Name of the service account.', { minLength: 1, maxLength: 253, pattern: DNS_SUBDOMAIN }),
        }),
      ),
    }),
  ),
});

const deleteOption = object('What happens to the applied objects when the work is deleted.', {
  propagationPolicy: optional(
    oneOf(
      'Foreground deletes the objects, Orphan leaves them, SelectivelyOrphan leaves those that selectivelyOrphans names.',
      ['Foreground', 'Orphan', 'SelectivelyOrphan'],
      { default: 'Foreground' },
    ),
  ),
  selectivelyOrphans: optional(
    object('Objects to leave on the cluster.', {
      orphaningRules: optional(
        listOf(
          'Objects to leave.',
          resourceIdentifier(
            'An object to leave. All four fields must be equal to those of the object.',
            'Wildcards are not supported: an object that no rule names exactly is deleted.',
          ),
        ),
      ),
    }),
  ),
  ttlSecondsAfterFinished: optional(int64('Deletes the work this long after its Complete condition became true.')),
});

const feedbackRule = object('Reads values from the status of the object.', {
  type: oneOf('WellKnownStatus reads built-in values for the kind; JSONPaths reads jsonPaths.', [
    'WellKnownStatus',
    'JSONPaths',
  ]),
  jsonPaths: optional(
    listByKey(
      'Values to read.',
      ['name'],
      object('A value to read.', {
        name: text('Name that the value is reported under.'),
        version: optional(text('API version of the object that the path is written for.')),
        path: text('JSONPath from the root of the object, such as .status.availableReplicas.'),
      }),
    ),
  ),
});

const conditionRule = object(
  'Derives a condition of the manifest from the object.',
  {
    condition: text('Type of the condition that is set.'),
    type: oneOf('WellKnownConditions uses built-in rules for the kind; CEL evaluates celExpressions.', [
      'WellKnownConditions',
      'CEL',
    ]),
    celExpressions: optional(
      listOf('The condition is true when all of these are true of `object`.', text('A CEL expression.')),
    ),
    message: optional(text('Message of the condition.')),
    messageExpression: optional(text('CEL expression that gives the message; wins over message.')),
  },
  {
    'x-kubernetes-validations': [
      {
        rule: 'self.type != \'CEL\' || self.condition != ""',
        message: 'Condition is required for CEL rules',
      },
    ],
  },
);

const ignoreField = object('Fields that are left to others.', {
  condition: oneOf(
    'OnSpokePresent ignores the fields once the object exists; OnSpokeChange once another client changed them.',
    ['OnSpokePresent', 'OnSpokeChange'],
    {
      default: 'OnSpokePresent',
    },
  ),
  jsonPaths: optional(listOf('JSONPaths of the fields.', text('A JSONPath.'))),
  jsonPointers: optional(listOf('JSON pointers to the fields.', text('A JSON pointer.'))),
  jqPathExpressions: optional(listOf('jq paths of the fields.', text('A jq path.'))),
});

const updateStrategy = object('How a changed manifest is written.', {
  type: oneOf(
    'Update merges, CreateOnly never changes an existing object, ServerSideApply applies, ReadOnly only observes.',
    ['Update', 'CreateOnly', 'ServerSideApply', 'ReadOnly'],
    { default: 'Update' },
  ),
  serverSideApply: optional(
    object('Settings of type ServerSideApply.', {
      force: optional(bool('Takes over fields that other managers own.')),
      fieldManager: optional(text('Field manager to apply as.', { default: 'work-agent', pattern: '^work-agent' })),
      ignoreFields: optional(listByKey('Fields that are left to others.', ['condition'], ignoreField)),
    }),
  ),
});

const manifestConfig = object('Settings for one of the manifests.', {
  resourceIdentifier: resourceIdentifier(
    'The manifests that the settings are for.',
    'An asterisk stands for any run of characters.',
  ),
  feedbackRules: optional(listOf('Values to report back.', feedbackRule)),
  feedbackScrapeType: optional(oneOf('Whether values are polled or watched.', ['Poll', 'Watch'], { default: 'Poll' })),
  updateStrategy: optional(updateStrategy),
  conditionRules: optional(listByKey('Conditions to derive.', ['condition'], conditionRule)),
});

/** What to apply on a managed cluster, and how. */
export const manifestWorkSpec = (description: string) =>
  object(description, {
    workload: optional(
      object('What to apply.', {
        manifests: optional(
          listOf('Objects to apply.', embeddedResource('An object to apply, of any kind that the cluster knows.')),
        ),
      }),
    ),
    deleteOption: optional(deleteOption),
    manifestConfigs: optional(listOf('Settings for single manifests.', manifestConfig)),
    executor: optional(executor),
  });

/** What to apply on a managed cluster, and how. */
export type ManifestWorkSpec = Static<ReturnType<typeof manifestWorkSpec>>;
/** Settings for one of the manifests. */
export type ManifestConfigOption = Static<typeof manifestConfig>;
/** Derives a condition of the manifest from the object. */
export type ManifestConditionRule = Static<typeof conditionRule>;
/** Reads values from the status of the object. */
export type ManifestFeedbackRule = Static<typeof feedbackRule>;
/** How a changed manifest is written. */
export type ManifestUpdateStrategy = Static<typeof updateStrategy>;
/** Who applies the manifests; the work agent itself when unset. */
export type ManifestWorkExecutor = Static<typeof executor>;
/** What happens to the applied objects when the work is deleted. */
export type ManifestWorkDeleteOption = Static<typeof deleteOption>;
